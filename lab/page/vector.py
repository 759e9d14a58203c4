"""Reduces matplotlib's SVG to its visible parts, for the page."""

import re
import xml.etree.ElementTree as xml

SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
FONTS = '"Source Sans 3","Segoe UI","Helvetica Neue","DejaVu Sans",sans-serif'
SCALE = 1.44  # pixels of the page per point, so that letters have one size in all plots

NUMBER = re.compile(r"-?\d+\.\d+")


def rounded(text):
    """Rounds to tenths of a point and removes unneeded spaces from a path."""
    text = NUMBER.sub(lambda found: f"{float(found[0]):.1f}".removesuffix(".0").replace("-0.0", "0"), text)
    return re.sub(r"\s*([A-Za-z])\s*", r"\1", " ".join(text.split()))


class Styles:
    """Collects the styles of all plots of a page and maps each set of declarations to one class name."""

    def __init__(self):
        self.names = {}

    def name(self, declarations):
        declarations = re.sub(r"\s*([:;])\s*", r"\1", declarations.replace("'DejaVu Sans'", FONTS)).strip("; ")
        return self.names.setdefault(declarations, f"s{len(self.names)}")

    def css(self):
        return "\n".join(f".{name}{{{declarations}}}" for declarations, name in self.names.items())


def flat(element):
    """Returns the children, and replaces groups without attributes by their children."""
    children = []
    for child in element:
        inner = flat(child)
        child[:] = inner
        empty = child.tag == SVG + "g" and not child.attrib
        children += inner if empty else [child]
    return children


def slim(picture, prefix, styles, label):
    """Returns the text of an <svg> element. Its ids begin with `prefix`, which is unique on the page."""
    root = xml.fromstring(picture)
    for metadata in root.findall(SVG + "metadata"):
        root.remove(metadata)
    wanted = dict.fromkeys(re.findall(r"(?:url\(|href=\")#([^\")]+)", picture))
    names = {old: f"{prefix}{number}" for number, old in enumerate(wanted)}
    for element in root.iter():
        element.text = (element.text or "").strip() or None
        element.tail = None
        attributes = element.attrib
        old = attributes.pop("id", None)
        if old in names:
            attributes["id"] = names[old]
        if LINK in attributes:
            attributes["href"] = "#" + names[attributes.pop(LINK)[1:]]
        if "clip-path" in attributes:
            attributes["clip-path"] = f"url(#{names[attributes['clip-path'][5:-1]]})"
        if attributes.get("transform", "").startswith("rotate(-0"):
            del attributes["transform"]
        for key in ("d", "x", "y", "transform", "width", "height"):
            if key in attributes:
                attributes[key] = rounded(attributes[key])
        if "style" in attributes:
            attributes["class"] = styles.name(attributes.pop("style"))
    root[:] = [child for child in flat(root) if child.tag != SVG + "defs" or len(child) and child[0].tag != SVG + "style"]
    box = rounded(root.attrib["viewBox"])
    root.attrib.clear()
    root.attrib.update({"viewBox": box, "width": str(round(SCALE * float(box.split()[2]))), "role": "img",
                        "aria-label": label})
    for element in root.iter():
        element.tag = element.tag.removeprefix(SVG)  # HTML needs no namespace
    return xml.tostring(root, encoding="unicode")
