"""OCR: lines of text in scans and in pictures (.png, .jpg, .tif), by rapidocr where installed."""

from __future__ import annotations  # Pillow is loaded with the first picture

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from qhub_desktop.core.documents import Rectangle
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.packs import OCR, PackMissingError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.knowledge.layout import PageLine, Segment, lines_of
from qhub_desktop.knowledge.pages import ReadPage, page_blocks
from qhub_desktop.knowledge.readers.source import (
    BOMB,
    DAMAGED,
    MOST_PAGES,
    TOO_MANY_PAGES,
    DocumentContent,
    Source,
    refusal,
)

if TYPE_CHECKING:
    from PIL import Image

SURE = 0.9  # mean certainty of upright Portuguese text is 0.97 and more, upside down below 0.7
LEAST_CERTAINTY = 0.5  # of a line; below it, it is noise
PROBED_LINES = 3  # of a page that reads badly: a whole page takes seconds
TALL = 1.5  # height to width of a box whose writing is sideways
MOST_PICTURE_PIXELS = 120_000_000  # a telephone's largest; A4 at 600 dpi has 35 million
LARGEST_SIDE = 4_000
_ORIENTATION = 0x0112  # the tag of EXIF
_FIRST_TURNED = 5  # from this value on, a picture lies on its side
NOT_ASKED = gettext_noop("The picture was not read, as asked.")
PACKAGES = "packages"  # the folder of the pack that modules are found in
TRIED = "QHub 2468"  # a text that the engine must read on any computer

Picture = NDArray[np.uint8]  # height x width x red, green, blue


class OcrMissingError(Exception):
    """Scans cannot be read here; the reason is for the person."""


@cache
def _engine() -> Any:
    """Load the engine, once in a process: it takes a second and 300 MB."""
    try:
        if (folder := OCR.checked()) is not None:
            # Behind the program's own: nothing of these is in the pack.
            sys.path.append(str(folder / PACKAGES))
            sys.dont_write_bytecode = True  # the pack stays what was made
        import cv2
        from rapidocr import RapidOCR
    except PackMissingError as error:
        raise OcrMissingError(str(error)) from error
    except ImportError as error:
        raise OcrMissingError(
            _("The packages that read scans are not installed: python dev.py brings them.")
        ) from error
    cv2.setNumThreads(1)
    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    return RapidOCR(
        params={
            "Global.log_level": "error",
            # It turns single lines, which then stand in the order of the turned page.
            "Global.use_cls": False,
            # Lines are looked for in fewer points than they are read in: a page of 200 dpi takes
            # 700 MB so, whole 950, of the 1 GB that the process has.
            "Det.limit_type": "max",
            "Det.limit_side_len": 1_280,
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


class Ocr:
    """A reader of pictures."""

    def __init__(self) -> None:
        self._read = _engine()

    def lines(self, picture: Picture) -> list[PageLine]:
        """Return the lines of a picture in reading order, each with its certainty.

        A picture that reads badly is turned by quarters, and the best reading counts; rectangles
        are shares of the picture as it was given.
        """
        read = self._turned(picture, 0)
        if read and (_certainty(read) < SURE or _is_sideways(read)):
            quarters = self._better_turn(picture, read)
            read = self._turned(picture, quarters) if quarters else read
        return self._laid_out(read)

    def _better_turn(self, picture: Picture, read: list[Segment]) -> int:
        """Return by how many quarters a picture reads best, tried on some of its lines."""
        longest = sorted(read, key=lambda each: -len(each.text))[:PROBED_LINES]
        weights: dict[int, float] = {}
        for quarters in (1, 3) if _is_sideways(read) else (0, 1, 2, 3):
            weights[quarters] = 0.0
            for line in longest:
                left, top, right, bottom = (
                    round(share * picture.shape[1 - place % 2])
                    for place, share in enumerate(line.mark)
                )
                margin = min(right - left, bottom - top) // 8
                crop = picture[
                    max(0, top - margin) : bottom + margin, max(0, left - margin) : right + margin
                ]
                weights[quarters] += self._line_weight(np.rot90(crop, quarters))
        return max(weights, key=lambda quarters: weights[quarters])

    def _line_weight(self, line: Picture) -> float:
        """Return how well a picture of one line reads."""
        # Without looking for lines in it: for that it would be blown up.
        turned = np.ascontiguousarray(line[:, :, ::-1])
        read = self._read(turned, use_det=False, use_cls=False, use_rec=True)
        lines = zip(read.txts, read.scores, strict=True)
        return float(sum(len(text) * score**2 for text, score in lines))

    def _laid_out(self, segments: list[Segment]) -> list[PageLine]:
        return lines_of(sorted(segments, key=lambda each: (each.box[1], each.box[0])))

    def _turned(self, picture: Picture, quarters: int) -> list[Segment]:
        """Read a picture after so many quarter turns, counter-clockwise."""
        turned = np.ascontiguousarray(np.rot90(picture, quarters)[:, :, ::-1])  # blue comes first
        height, width = turned.shape[:2]
        # What a call asks for stays asked for in the next.
        try:
            read = self._read(turned, use_det=True, use_cls=False, use_rec=True)
        except Exception as error:
            if type(error).__name__ != "ONNXRuntimeError":  # which cannot be imported without it
                raise
            raise MemoryError from error  # on sound pictures it fails for nothing else
        if read.boxes is None or read.txts is None:
            return []
        made = []
        for corners, text, certainty in zip(read.boxes, read.txts, read.scores, strict=True):
            words = sanitize(text).strip()
            if not words or certainty < LEAST_CERTAINTY:
                continue
            left, top = map(float, corners.min(axis=0))
            right, bottom = map(float, corners.max(axis=0))
            mark = _back((left / width, top / height, right / width, bottom / height), quarters)
            box = (left / width, top / width, right / width, bottom / width)
            made.append(Segment(words, box, mark, float(bottom - top), certainty=float(certainty)))
        return made


def try_engine() -> None:
    """Read a picture of a text that is drawn here. Raises OcrMissingError, UserError."""
    ocr = Ocr()
    import cv2

    picture = np.full((200, 800, 3), 255, np.uint8)
    cv2.putText(picture, TRIED, (60, 120), cv2.FONT_HERSHEY_SIMPLEX, 2.5, (0, 0, 0), 5)
    read = " ".join(line.text for line in ocr.lines(picture))
    if read != TRIED:
        raise UserError(_("Scans are read wrongly here: '{read}'.").format(read=read))


def _back(box: Rectangle, quarters: int) -> Rectangle:
    """Return a rectangle on the picture as it was before its quarter turns."""
    left, top, right, bottom = box
    for _turn in range(quarters):
        left, top, right, bottom = 1 - bottom, left, 1 - top, right
    return left, top, right, bottom


def _weight(segments: list[Segment]) -> float:
    return sum(len(each.text) * (each.certainty or 0) ** 2 for each in segments)


def _certainty(segments: list[Segment]) -> float:
    letters = sum(len(each.text) for each in segments)
    return sum(len(each.text) * (each.certainty or 0) for each in segments) / max(1, letters)


def _is_sideways(segments: list[Segment]) -> bool:
    """Return whether most of the writing stands in boxes that are higher than wide."""
    tall = sum(
        len(each.text)
        for each in segments
        if each.box[3] - each.box[1] > TALL * (each.box[2] - each.box[0])
    )
    return tall * 2 > sum(len(each.text) for each in segments)


def read_picture(source: Source) -> DocumentContent:
    """Read a picture, or the pages of a TIFF. Rectangles are shares of it as its EXIF turns it."""
    from PIL import Image, ImageOps, ImageSequence

    with Image.open(source.path, formats=("PNG", "JPEG", "TIFF")) as picture:
        count = getattr(picture, "n_frames", 1)
        if count > MOST_PAGES:
            raise refusal(TOO_MANY_PAGES, source.name)
        if picture.width * picture.height > MOST_PICTURE_PIXELS:
            raise refusal(BOMB, source.name)
        picture.load()
        if source.ocr == "never":
            return DocumentContent("Picture", (), warnings=(_(NOT_ASKED),))
        try:
            ocr = Ocr()
        except OcrMissingError as error:
            said = _("The picture was not read. {why} Read the document again afterwards.")
            return DocumentContent("Picture", (), warnings=(said.format(why=error),))
        pages = []
        for number, frame in enumerate(ImageSequence.Iterator(picture)):
            source.tell(number, count)
            shown = ImageOps.exif_transpose(frame).convert("RGB")
            shown.thumbnail((LARGEST_SIDE, LARGEST_SIDE))
            pages.append(ReadPage(number + 1, "", ocr.lines(np.asarray(shown))))
    blocks, headers = page_blocks(pages)
    if count == 1:  # which has no pages
        blocks = tuple(replace(each, place=replace(each.place, page=None)) for each in blocks)
    return DocumentContent("Picture", blocks, headers=headers, pages=count if count > 1 else None)


def picture_sizes(path: Path) -> list[tuple[int, int]]:
    """Return width and height of each picture in a file, upright. Raises UserError."""
    with _opened(path) as picture:
        sizes = []
        for number in range(min(getattr(picture, "n_frames", 1), MOST_PAGES)):
            picture.seek(number)
            is_turned = picture.getexif().get(_ORIENTATION, 1) >= _FIRST_TURNED
            width, height = picture.size
            sizes.append((height, width) if is_turned else (width, height))
        return sizes


def picture_pixels(path: Path, number: int, most: tuple[int, int]) -> tuple[int, int, bytes]:
    """Return width, height and RGB bytes of a picture from 0, at most so large, upright.

    Raises UserError.
    """
    from PIL import ImageOps

    with _opened(path) as picture:
        picture.seek(number)
        if picture.width * picture.height > MOST_PICTURE_PIXELS:
            raise refusal(BOMB, path.name)
        shown = ImageOps.exif_transpose(picture).convert("RGB")
        shown.thumbnail(most)
        return shown.width, shown.height, shown.tobytes()


@contextmanager
def _opened(path: Path) -> Iterator[Image.Image]:
    from PIL import Image

    try:
        with Image.open(path, formats=("PNG", "JPEG", "TIFF")) as picture:
            yield picture
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise refusal(DAMAGED, path.name) from error
