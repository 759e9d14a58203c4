"""Reduces matplotlib's SVG to its visible parts, for the page."""

import re
import xml.etree.ElementTree as xml

SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
FONTS = '"Source Sans 3","Segoe UI","Helvetica Neue","DejaVu Sans",sans-serif'
SCALE = 1.44  # pixels of the page per point, so that letters have one size in all plots
GRID = "stroke: #dddddd"  # of grid lines, which lie below all curves and within the axes (plots.STYLE)
BACKGROUND = "fill: #ffffff"  # of the figure and the axes, as of the page

NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")


def shortest(tenths):
    """Returns tenths as a decimal number without needless zeros."""
    sign, (whole, rest) = "-" if tenths < 0 else "", divmod(abs(tenths), 10)
    return sign + (f"{whole or ''}.{rest}" if rest else str(whole))


def tenths(number):
    return round(10 * float(number))


def rounded(text):
    """Rounds to tenths of a point and removes unneeded spaces."""
    text = NUMBER.sub(lambda found: shortest(tenths(found[0])), text)
    return re.sub(r"\s*([A-Za-z])\s*", r"\1", " ".join(text.split()))


def joined(numbers):
    """Joins numbers and omits spaces before a minus."""
    return " ".join(map(shortest, numbers)).replace(" -", "-")


def corners(path):
    """Returns the polylines of a path of lines as lists of points in tenths, or None if it has curves or areas."""
    if re.search(r"[^MLe\d\s.+-]", path):
        return None
    return [[tuple(map(tenths, point.split())) for point in line.split("L")] for line in path.split("M")[1:]]


def lines(polylines):
    """Returns the path of polylines, with steps relative to the point before. Points on a straight line stay."""
    parts = []
    for points in polylines:
        parts.append("M" + joined(points[0]))
        before = ""
        for (x0, y0), (x, y) in zip(points, points[1:]):
            letter, step = ("v", joined([y - y0])) if x == x0 else ("h", joined([x - x0])) if y == y0 else (
                "l", joined([x - x0, y - y0]))
            parts.append(("" if step[0] == "-" else " ") + step if letter == before else letter + step)
            before = letter
    return "".join(parts)


class Styles:
    """Collects the styles, markers and clips of all plots of a page, and gives each the name of a class."""

    def __init__(self):
        self.names, self.markers, self.clips = {}, {}, {}

    def name(self, declarations):
        declarations = re.sub(r"\s*([:;])\s*", r"\1", declarations.replace("'DejaVu Sans'", FONTS)).strip("; ")
        return self.names.setdefault(declarations, f"s{len(self.names)}")

    def marker(self, path, declarations):
        """Returns the class of paths with this shape at each of their points."""
        return self.markers.setdefault((path, self.name(declarations)), f"m{len(self.markers)}")

    def clip(self, rectangle):
        corner = tuple(rounded(rectangle.attrib[key]) for key in ("x", "y", "width", "height"))
        return self.clips.setdefault(corner, f"c{len(self.clips)}")

    def css(self):
        return "\n".join([f".{name}{{{declarations}}}" for declarations, name in self.names.items()] +
                         [f".{name}{{marker:url(#{name})}}" for name in self.markers.values()] +
                         [f".{name}{{clip-path:url(#{name})}}" for name in self.clips.values()])

    def shapes(self):
        """Returns the markers and clips, for the beginning of the page's body."""
        found = [f'<marker id="{name}" markerUnits="userSpaceOnUse"><path d="{path}" class="{style}"/></marker>'
                 for (path, style), name in self.markers.items()]
        found += [f'<clipPath id="{name}"><rect x="{x}" y="{y}" width="{width}" height="{height}"/></clipPath>'
                  for (x, y, width, height), name in self.clips.items()]
        return f'<svg class="shapes" aria-hidden="true">{"".join(found)}</svg>'


class Path:
    """Polylines or an area of a plot, with the class of its style and of its markers."""

    def __init__(self, element, styles):
        attributes = element.attrib
        self.style = styles.name(attributes.get("style", ""))
        self.clip = attributes.get("clip-path")
        self.marker = None
        self.polylines = corners(attributes["d"])
        self.area = None if self.polylines else rounded(attributes["d"])

    def element(self):
        made = xml.Element("path", {"d": self.area or lines(self.polylines)})
        made.attrib["class"] = " ".join(filter(None, (self.style, self.marker)))
        return made


class Copies(Path):
    """Copies of a shape at several places: a line that is not drawn, with the shape as its marker."""

    def __init__(self, use, shape, styles):
        style = use.attrib.get("style", "")
        self.marker = styles.marker(rounded(shape.attrib["d"]), style if "fill" in style else "fill:none;" + style)
        self.style, self.clip, self.area = styles.name("fill:none"), use.attrib.get("clip-path"), None
        self.polylines = [[(tenths(use.attrib["x"]), tenths(use.attrib["y"]))]]


def flat(element):
    """Returns the elements below groups. They inherit the clip of their group."""
    for child in element:
        if child.tag == SVG + "g":
            for inner in flat(child):
                if "clip-path" in child.attrib:
                    inner.attrib["clip-path"] = child.attrib["clip-path"]
                yield inner
        else:
            yield child


def paths(elements, styles):
    """Replaces paths and copies of shapes by few Paths: grid lines become one, and neighbours of one style. Copies become
    markers of the curve that has the same points, or of a line of their own."""
    shapes = {shape.attrib.get("id"): shape for child in elements if child.tag == SVG + "defs" for shape in child}
    found, copies, grid = [], {}, None
    for child in elements:
        if child.tag == SVG + "use":
            one = Copies(child, shapes[child.attrib[LINK][1:]], styles)
            key = one.marker, one.clip
            if key in copies:
                copies[key].polylines[0] += one.polylines[0]
            else:
                copies[key] = one
                found.append(one)
        elif child.tag == SVG + "path" and child.attrib.get("style") != BACKGROUND:
            one = Path(child, styles)
            last = found[-1] if found and type(found[-1]) is Path else None
            if GRID in child.attrib.get("style", ""):
                one.clip, last, grid = None, grid, grid or one
            if last and one.polylines and last.polylines and (last.style, last.clip) == (one.style, one.clip):
                last.polylines += one.polylines
            else:
                found.append(one)
        elif child.tag == SVG + "text":
            found.append(child)
    for one in copies.values():
        curve = next((path for path in reversed(found) if type(path) is Path and path.polylines == one.polylines
                      and path.clip == one.clip and not path.marker), None)
        if curve:
            curve.marker = one.marker
            found.remove(one)
        elif len(one.polylines[0]) == 1:
            one.polylines[0] *= 2  # a line, so that it has markers
    return found


def label_of(element, styles):
    """Returns a text of the plot without needless attributes."""
    old = element.attrib
    made = xml.Element("text", {key: rounded(old[key]) for key in ("x", "y") if key in old})
    if "transform" in old and not old["transform"].startswith("rotate(-0"):
        made.attrib["transform"] = rounded(old["transform"])
    if "style" in old:
        made.attrib["class"] = styles.name(old["style"])
    made.text = (element.text or "").strip()
    return made


def slim(picture, styles, label):
    """Returns the text of an <svg> element, whose styles, markers and clips `styles` has for the whole page."""
    root = xml.fromstring(picture)
    elements = list(flat(root))
    clips = {f"url(#{clip.attrib['id']})": styles.clip(clip[0]) for clip in root.iter(SVG + "clipPath")}
    width, height = map(tenths, root.attrib["viewBox"].split()[2:])
    made = xml.Element("svg", {"viewBox": "0 0 " + joined([width, height]), "width": str(round(SCALE * width / 10)),
                               "role": "img", "aria-label": label})
    group, clip = made, None
    for one in paths(elements, styles):
        wanted = clips.get(getattr(one, "clip", None))
        if wanted != clip:
            group, clip = xml.SubElement(made, "g", {"class": wanted}) if wanted else made, wanted
        group.append(one.element() if isinstance(one, Path) else label_of(one, styles))
    return xml.tostring(made, encoding="unicode").replace(" />", "/>")
