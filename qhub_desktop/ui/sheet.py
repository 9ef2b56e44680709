"""The style sheet, with a name in braces for each token; `theme` fills them in."""

SHEET = """
QMainWindow, QDialog {{ background: {page}; }}
QToolTip {{
    color: {text}; background: {card}; border: 1px solid {line}; padding: 4px 8px;
}}

QLabel {{ background: transparent; }}
QLabel[role="title"] {{ font-size: {title}; font-weight: 600; }}
QLabel[role="heading"] {{ font-size: {heading}; font-weight: 600; }}
QLabel[role="quiet"] {{ color: {quiet}; }}
QLabel[role="small"] {{ color: {quiet}; font-size: {small}; }}
QLabel[role="accent"] {{ color: {accent}; }}
QLabel[role="good"] {{ color: {good}; }}
QLabel[role="warn"] {{ color: {warn}; }}
QLabel[role="bad"] {{ color: {bad}; }}

QFrame[kind="card"], QFrame[card="true"] {{
    background: {card}; border: 1px solid {line}; border-radius: {card_radius};
}}
QFrame[kind="panel"] {{ background: {panel}; border: none; }}
QFrame[kind="popover"] {{
    background: {card}; border: 1px solid {line}; border-radius: {card_radius};
}}
QFrame[kind="banner"] {{
    background: {bad_tint}; border: none; border-bottom: 1px solid {bad};
}}
QFrame[kind="note"] {{
    background: {accent_tint}; border: none; border-bottom: 1px solid {line};
}}
QFrame[kind="offer"] {{
    background: {accent_tint}; border: none; border-radius: {radius};
}}
QFrame[kind="chip"] {{
    background: {panel}; border: 1px solid {line}; border-radius: {radius};
}}
QFrame[kind="line"] {{ background: {line}; border: none; }}

QPushButton {{
    color: {text}; background: {card}; border: 1px solid {rim}; border-radius: {radius};
    padding: 0 14px; min-height: {inner};
}}
QPushButton:hover {{ background: {hover}; }}
QPushButton:pressed {{ background: {down}; }}
QPushButton:disabled {{ color: {disabled}; border-color: {line}; background: {panel}; }}
QPushButton:focus {{ border: 2px solid {accent}; padding: 0 13px; min-height: {inner}; }}
QPushButton[kind="primary"] {{
    color: {on_accent}; background: {accent}; border: 1px solid {accent}; font-weight: 600;
}}
QPushButton[kind="primary"]:hover {{ background: {accent_hover}; border-color: {accent_hover}; }}
QPushButton[kind="primary"]:pressed {{ background: {accent_down}; border-color: {accent_down}; }}
QPushButton[kind="primary"]:focus {{ border: 2px solid {text}; padding: 0 13px; }}
QPushButton[kind="primary"]:disabled {{
    color: {disabled}; background: {hover}; border-color: {hover};
}}
QPushButton[kind="danger"] {{ color: {bad}; }}
QPushButton[kind="flat"] {{
    background: transparent; border: 1px solid transparent; padding: 0 8px;
}}
QPushButton[kind="flat"]:hover {{ background: {hover}; }}
QPushButton[kind="flat"]:pressed {{ background: {down}; }}
QPushButton[kind="flat"]:checked {{ background: {chosen}; }}
QPushButton[kind="flat"]:focus {{ border: 2px solid {accent}; padding: 0 7px; }}
QPushButton[kind="link"] {{
    color: {accent}; background: transparent; border: 1px solid transparent; padding: 0 4px;
    text-align: left;
}}
QPushButton[kind="link"]:hover {{ text-decoration: underline; }}
QPushButton[kind="link"]:focus {{ border: 2px solid {accent}; padding: 0 3px; }}
QPushButton[kind="pill"] {{
    color: {text}; background: {card}; border: 1px solid {line}; border-radius: {pill_radius};
    padding: 0 14px; min-height: {pill_inner}; max-height: {pill_inner}; font-size: {small};
}}
QPushButton[kind="pill"]:hover {{ background: {hover}; }}
QPushButton[kind="pill"]:focus {{ border: 2px solid {accent}; padding: 0 13px; }}
QPushButton[kind="part"] {{ font-size: {small}; }}
QPushButton[kind="tile"] {{
    background: {card}; border: 1px solid {line}; border-radius: {card_radius};
    padding: 0 16px; text-align: left; min-height: {inner};
}}
QPushButton[kind="tile"]:hover {{ border-color: {accent}; background: {accent_tint}; }}
QPushButton[kind="tile"]:focus {{ border: 2px solid {accent}; padding: 0 15px; }}
QPushButton[kind="icon"], QToolButton, QToolButton[kind="icon"] {{
    background: transparent; border: 1px solid transparent; border-radius: {radius};
    padding: 0; min-width: {inner}; min-height: {inner};
}}
QPushButton[kind="icon"]:hover, QToolButton:hover {{ background: {hover}; }}
QPushButton[kind="icon"]:pressed, QToolButton:pressed {{ background: {down}; }}
QPushButton[kind="icon"]:checked, QToolButton:checked {{ background: {chosen}; }}
QPushButton[kind="icon"]:focus, QToolButton:focus {{ border: 2px solid {accent}; padding: 0; }}
QLineEdit QToolButton {{
    background: transparent; border: none; min-width: 0; min-height: 0; padding: 0;
}}
QToolButton::menu-indicator {{ image: none; width: 0; }}

QLineEdit, QPlainTextEdit, QTextEdit, QSpinBox, QDoubleSpinBox, QComboBox {{
    color: {text}; background: {card}; border: 1px solid {edge}; border-radius: {radius};
    selection-background-color: {accent}; selection-color: {on_accent};
}}
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox {{ padding: 0 9px; min-height: {inner}; }}
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus,
QComboBox:focus {{ border: 2px solid {accent}; }}
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus {{ padding: 0 8px; }}
QLineEdit:disabled, QComboBox:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled {{
    color: {disabled}; background: {panel}; border-color: {line};
}}
QLineEdit[state="bad"], QSpinBox[state="bad"], QDoubleSpinBox[state="bad"] {{
    border: 2px solid {bad}; padding: 0 8px;
}}
QComboBox::drop-down {{ border: none; width: 28px; }}
QComboBox::down-arrow {{
    image: url("{icons}/chevron-down-{tone}.svg"); width: 16px; height: 16px;
}}
QComboBox QAbstractItemView {{
    color: {text}; background: {card}; border: 1px solid {line}; padding: 4px; outline: none;
    selection-background-color: {chosen}; selection-color: {text};
}}
QComboBox QAbstractItemView::item {{ min-height: {inner}; padding: 0 6px; }}
QCheckBox {{ spacing: 8px; min-height: {inner}; }}
QCheckBox::indicator {{
    width: {tick}; height: {tick}; border: 1px solid {edge}; border-radius: 4px;
    background: {card};
}}
QCheckBox::indicator:hover {{ border-color: {accent}; }}
QCheckBox::indicator:checked {{
    background: {accent}; border-color: {accent}; image: url("{icons}/check-{tone}.svg");
}}
QCheckBox:focus {{ outline: none; }}
QCheckBox::indicator:focus {{ border: 2px solid {accent}; }}
QCheckBox::indicator:checked:focus {{ border: 2px solid {text}; }}

QTreeView[kind="choices"] {{ background: transparent; border: none; }}
QTreeView[kind="choices"]::item {{ color: {text}; min-height: 28px; border: none; }}
QTreeView[kind="choices"]::item:hover {{ background: {hover}; }}
QTreeView[kind="choices"]::item:selected {{ background: {chosen}; color: {text}; }}
QTreeView[kind="choices"]::indicator {{
    width: {tick}; height: {tick}; border: 1px solid {edge}; border-radius: 4px;
    background: {card};
}}
QTreeView[kind="choices"]::indicator:checked {{
    background: {accent}; border-color: {accent}; image: url("{icons}/check-{tone}.svg");
}}
QTreeView[kind="choices"]::indicator:indeterminate {{
    background: {accent}; border-color: {accent}; image: url("{icons}/dash-{tone}.svg");
}}

QMenu {{
    color: {text}; background: {card}; border: 1px solid {line}; padding: 4px;
}}
QMenu::item {{ padding: 7px 28px 7px 12px; border-radius: 4px; background: transparent; }}
QMenu[kind="choices"]::item {{ padding: {choice_pad} 28px {choice_pad} 12px; }}
QMenu::item:selected {{ background: {hover}; color: {text}; }}
QMenu::item:disabled {{ color: {disabled}; }}
QMenu::icon {{ padding-left: 8px; }}
QMenu::separator {{ height: 1px; background: {line}; margin: 4px 8px; }}

QAbstractScrollArea {{ border: none; }}
QScrollArea {{ background: transparent; }}
QListView, QTreeView, QTableView {{ outline: none; }}
QTableView {{
    background: {card}; alternate-background-color: {panel}; gridline-color: {line};
    selection-background-color: {chosen}; selection-color: {text};
}}
QHeaderView::section {{
    color: {quiet}; background: {panel}; border: none; border-bottom: 1px solid {line};
    border-right: 1px solid {line}; padding: 5px 8px; font-weight: 600;
}}
QTableCornerButton::section {{ background: {panel}; border: none; }}
QScrollBar:vertical {{ background: transparent; width: 12px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 12px; margin: 0; }}
QScrollBar::handle {{ background: {grip}; border-radius: 3px; margin: 3px; }}
QScrollBar::handle:vertical {{ min-height: 32px; }}
QScrollBar::handle:horizontal {{ min-width: 32px; }}
QScrollBar::handle:hover {{ background: {grip_hover}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}

QListWidget[kind="choices"] {{ background: transparent; border: none; }}
QListWidget[kind="choices"]::item {{
    color: {text}; border-radius: {radius}; padding: 0 8px; min-height: {inner};
}}
QListWidget[kind="choices"]::item:hover {{ background: {hover}; }}
QListWidget[kind="choices"]::item:selected {{ background: {chosen}; color: {text}; }}
QListWidget[kind="sections"] {{
    background: {panel}; border: none; padding: 12px 8px; border-right: 1px solid {line};
}}
QListWidget[kind="sections"]::item {{
    color: {text}; border-radius: {radius}; padding: 0 8px; min-height: {inner}; margin: 1px 0;
}}
QListWidget[kind="sections"]::item:hover {{ background: {hover}; }}
QListWidget[kind="sections"]::item:selected {{ background: {chosen}; color: {text}; }}
QListWidget[kind="sections"]::item:focus {{ border: 2px solid {accent}; }}

QSplitter::handle {{ background: {line}; }}
QSplitter::handle:hover {{ background: {accent}; }}
QStatusBar {{
    color: {quiet}; background: {panel}; border-top: 1px solid {line}; font-size: {small};
}}
QStatusBar::item {{ border: none; }}
QStatusBar QLabel {{ color: {quiet}; font-size: {small}; }}
QProgressBar {{
    background: {hover}; border: none; border-radius: 2px; max-height: 4px; min-height: 4px;
}}
QProgressBar::chunk {{ background: {accent}; border-radius: 2px; }}
"""
