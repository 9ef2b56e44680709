"""What a tool is doing, in the person's words."""

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import mark

_DOING = {
    "contar_defeitos": mark("Counting defects…"),
    "top_defeitos": mark("Finding the most frequent defects…"),
    "defeitos_por_turno": mark("Comparing the shifts…"),
    "registar_defeito": mark("Recording a defect…"),
    "perfil_dados": mark("Getting to know the data…"),
    "consultar_dados": mark("Querying the data…"),
    "gerar_grafico": mark("Drawing a chart…"),
    "gerar_tabela": mark("Making a table…"),
    "gerar_kpi": mark("Working out an indicator…"),
    "gerar_dashboard": mark("Making a dashboard…"),
    "executar_python": mark("Running a calculation…"),
    "exportar_excel": mark("Writing an Excel file…"),
}
_FIELDS = {
    "data": mark("Date"),
    "turno": mark("Shift"),
    "operador": mark("Operator"),
    "tipo_defeito": mark("Defect"),
    "material": mark("Material"),
    "rack": mark("Rack"),
    "posicao": mark("Position"),
}
_AGREEING = {"registar_defeito": mark("Record")}


def doing(tool: str) -> str:
    """What is said while a tool runs; an unknown one is called by its name."""
    return _(_DOING[tool]) if tool in _DOING else f"{tool}…"


def agreeing(tool: str) -> str:
    """What stands on the button that lets a tool run."""
    return _(_AGREEING[tool]) if tool in _AGREEING else _("Allow")


def field(name: str) -> str:
    """An argument as a person reads it."""
    return _(_FIELDS[name]) if name in _FIELDS else name.replace("_", " ").capitalize()
