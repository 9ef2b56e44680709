"""What the columns of a query's result are called, in the words of the question's language."""

from typing import cast

from qhub_desktop.chat.offline.plan import ByShift, Dimension, Grain, GroupBy, Measure, Top
from qhub_desktop.chat.offline.voice import Voice
from qhub_desktop.core.dataset import DatasetProfile


class Names:
    """Names over one data set."""

    def __init__(self, profile: DatasetProfile, voice: Voice) -> None:
        self._profile = profile
        self._voice = voice

    def dimension(self, dimension: Dimension) -> str:
        """What a dimension is called above its values."""
        _ = self._voice.gettext
        match dimension.grain:
            case "":
                return dimension.column
            case "hour":
                return _("hour")
            case "day":
                return _("day")
            case "weekday":
                return _("day of the week")
            case "week":
                return _("week")
            case "month":
                return _("month")
            case "year":
                return _("year")

    def measure(self, measure: Measure) -> str:
        """What a measure is called above its values."""
        _ = self._voice.gettext
        column = self._voice.column(measure.column)
        match measure.kind:
            case "count":
                return self.count()
            case "mean":
                return _("mean of {column}").format(column=column)
            case "sum":
                return _("sum of {column}").format(column=column)
            case "min":
                return _("minimum of {column}").format(column=column)
            case "max":
                return _("maximum of {column}").format(column=column)
            case "median":
                return _("median of {column}").format(column=column)
            case "std":
                return _("standard deviation of {column}").format(column=column)
            case "distinct":
                return _("different values of {column}").format(column=column)
            case "per":
                grain = cast("Grain", measure.over)
                unit = self.dimension(Dimension(measure.column, grain))
                return _("mean per {unit}").format(unit=unit)
            case "rate":
                over = self._voice.column(measure.over)
                return _("{column} per 100 of {over}").format(column=column, over=over)
            case "share":
                values = [
                    self._voice.value(value) for each in measure.part for value in each.values
                ]
                listed = self._voice.listed(values)
                if measure.column:
                    text = _("share of {values} in {column} (%)")
                    return text.format(values=listed, column=column)
                return _("share of {values} (%)").format(values=listed)

    def count(self) -> str:
        """What counts are called, by a name that no column has."""
        return self.free(self._voice.gettext("total"))

    def share(self) -> str:
        """What percentages are called, by a name that no column has."""
        return self.free(self._voice.gettext("percentage"))

    def drawn(self, plan: GroupBy | Top | ByShift) -> str:
        """The column of a query's that a picture of it draws."""
        if plan.is_share:
            return self.share()
        if isinstance(plan, GroupBy) and plan.measure.kind != "count":
            return self.measure(plan.measure)
        return self.count()

    def free(self, name: str) -> str:
        """A name that no column has."""
        taken = {each.name.lower() for each in self._profile.columns}
        while name.lower() in taken:
            name += "_"
        return name
