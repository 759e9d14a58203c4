#!/usr/bin/env python3
"""Draws the results of poisson-lab: plots, and one page that opens from disk.

    page.py DIRECTORY         reads DIRECTORY/lab.json; writes STUDY-PANEL.png for every panel, for slides, and lab.html
    page.py FILE.json PAGE    writes only the page, from another file
    page.py FILE.json PAGE --beside OTHER.json LINK ...    also links to the pages of other devices
"""

import argparse
import base64
import concurrent.futures
import csv
import html
import io
import json
import pathlib
import statistics
import sys
import tempfile

sys.dont_write_bytecode = True  # the folder of the scripts may be read-only
import labels  # noqa: E402
import plots  # noqa: E402
import vector  # noqa: E402

LONG = 12  # tables with more rows or columns are folded


def text(value):
    return html.escape(str(value), quote=True)


def cell(value, tag="td", **attributes):
    written = "".join(f' {name.rstrip("_")}="{text(content)}"' for name, content in attributes.items() if content)
    return f"<{tag}{written}>{text(value)}</{tag}>"


def row(cells):
    return "<tr>" + "".join(cells) + "</tr>"


def count(things, name):
    return f"{len(things)} {name}{'' if len(things) == 1 else 's'}"


def table(panel):
    """Returns a table of variants and places, with the longer of them as rows. If the values are rates, the best one
    of each place is marked."""
    values, seconds = {}, {}
    for point in panel["points"]:
        key = point["variant"], point["x"]
        values[key], seconds[key] = point["value"], point["seconds"]
    variants = list(dict.fromkeys(variant for variant, _ in values))
    places = sorted(dict.fromkeys(x for _, x in values), key=lambda x: (x is None, x))
    rates = "/s" in panel["y_label"] and len(variants) > 1
    best = {x: max((values[v, x] for v in variants if labels.finite(values.get((v, x)))), default=None) for x in places}

    def value(variant, x):
        if (variant, x) not in values:
            return cell("")
        found, took = values[variant, x], seconds[variant, x]
        return cell(labels.number(found), class_="best" if rates and found == best[x] else None,
                    title=f"{labels.number(1e6 * took)} µs" if labels.finite(took) and took > 0 else None)

    named = labels.namer(panel["x_label"], [x for x in places if x is not None])

    def place(x):
        return "–" if x is None else named(x)

    if plots.is_bars(panel):
        head = row([cell("", "th"), cell(panel["y_label"], "th", scope="col")])
        own = {variant: x for variant, x in reversed(values)}
        body = [row([cell(v, "th", scope="row"), value(v, own[v])]) for v in variants]
        columns = 1
    elif len(variants) <= len(places):
        head = row([cell(panel["x_label"], "th", scope="col")] + [cell(v, "th", scope="col") for v in variants])
        body = [row([cell(place(x), "th", scope="row")] + [value(v, x) for v in variants]) for x in places]
        columns = len(variants)
    else:
        head = row([cell(panel["x_label"], "th", scope="col")] + [cell(place(x), "th", scope="col") for x in places])
        body = [row([cell(v, "th", scope="row")] + [value(v, x) for x in places]) for v in variants]
        columns = len(places)
    grid = f'<div class="wide"><table><thead>{head}</thead><tbody>{"".join(body)}</tbody></table></div>'
    summary = f"Table: {text(panel['y_label'])}, {count(variants, 'variant')}"
    if len(places) > 1:
        summary += f" at {count(places, 'place')}"
    folded = plots.is_bars(panel) or max(len(body), columns) > LONG  # bars carry their values
    return f"<details><summary>{summary}</summary>{grid}</details>" if folded else grid


def alternative(panel):
    """Describes a plot in words."""
    curves = ", ".join(dict.fromkeys(point["variant"] for point in panel["points"]))
    return f"{panel['y_label']} against {panel['x_label']}: {curves}"


def figure(panel, pictures):
    return (f"<figure><figcaption>{text(panel['title'])}</figcaption>"
            f'<div class="wide">{pictures[panel["files"]]}</div>{scatter(panel)}{table(panel)}</figure>')


def comma_separated(panel):
    """Returns the panel's CSV as the program writes it, to five digits."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["variant", panel["x_label"], "seconds", panel["y_label"], "spread"])
    for point in panel["points"]:
        numbers = (point.get(key) for key in ("x", "seconds", "value", "spread"))
        writer.writerow([point["variant"], *(float(f"{x:.5g}") if isinstance(x, float) and x % 1 else x for x in numbers)])
    return base64.b64encode(file.getvalue().encode("utf-8")).decode("ascii")


def scatter(panel):
    """Returns the scatter of a panel's batches and a link that saves its points."""
    spreads = [point["spread"] for point in panel["points"] if labels.finite(point.get("spread")) and point["spread"] > 0]
    words = "each point is one number, not a time"
    if spreads:
        widest = max(panel["points"], key=lambda point: point.get("spread") or 0)
        words = (f"the middle half of the batches lies within ± {100 * statistics.median(spreads):.2g} % of a point (the "
                 f"median of all), at most ± {100 * max(spreads):.2g} % ({widest['variant']})")
    noise = f"; differences below {100 * panel['noise']:.0f} % count as none" if "noise" in panel else ""
    return (f'<p class="scatter">Spread: {text(words + noise)}. <a download="{text(panel["files"])}.csv" '
            f'href="data:text/csv;base64,{comma_separated(panel)}">CSV</a></p>')


def then_text(entry):
    upper = f" to {labels.number(entry['up_to'])}" if entry.get("up_to") else ""
    return f"{labels.number(entry['value'])}{upper} {entry['unit']}"


def ratio_text(entry):
    ratios = [entry["today"] / entry["value"]]
    if entry.get("up_to"):
        ratios.insert(0, entry["today"] / entry["up_to"])
    return " to ".join(labels.number(float(f"{ratio:.3g}")) for ratio in ratios) + " ×"


def then_and_now(history, device):
    """Compares the lectures' figures with those of this device. Figures that the device cannot have are omitted."""
    rows = [row([cell(entry["device"], "th", scope="row"), cell(entry["what"], class_="text"),
                 cell(entry.get("lecture", "").split(",")[0], class_="text"), cell(then_text(entry)), cell(f"{labels.number(entry['today'])} {entry['unit']}", class_="now"),
                 cell(ratio_text(entry))])
            for entry in history if labels.finite(entry["today"]) and entry["value"]]
    if not rows:
        return ""
    head = row([cell(name, "th", scope="col") for name in ("Device then", "What", "Lecture", "Then", device, "Now / then")])
    sources = list(dict.fromkeys(entry["lecture"] for entry in history if entry.get("lecture")))
    return (f"<h3>Then and now</h3><div class=\"wide\"><table class=\"then\"><thead>{head}</thead>"
            f"<tbody>{''.join(rows)}</tbody></table></div>"
            + (f'<p class="scatter">Figures of {text("; ".join(sources))}.</p>' if sources else ""))


def listed(words):
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def commit(lab):
    return next((fact["value"] for fact in lab["facts"] if fact["what"] == "commit"), "an earlier state")


def age(study, lab):
    """States what these results are too old for, and which historical figures have no counterpart here."""
    older = study.get("not_measured")
    if not older:
        return ""
    rows = [f'"{one["row"]}"' for one in older if one["row"]]
    missing = f", so {listed(rows)} of the lectures has no figure of this device here" if rows else ""
    return (f'<p class="age">These results are of commit {text(commit(lab))}, from before '
            f'{text(listed([one["what"] for one in older]))} were measured{text(missing)}.</p>')


def others(lab, beside):
    """Links to the pages of other devices, and lists their variants that these results are too old for."""
    sentences = []
    for other, link in beside:
        lacking = {one["what"] for study in other["studies"] for one in study.get("not_measured", [])}
        more = [one["what"] for study in lab["studies"] for one in study.get("not_measured", [])
                if one["what"] not in lacking]
        has = f", which has {listed(more)} as well" if more else ""
        sentences.append(f'<a href="{text(link)}">The same studies on {text(other["device"])}</a>, of commit '
                         f'{text(commit(other))}{text(has)}.')
    return f'<p class="beside">{" ".join(sentences)}</p>' if sentences else ""


def section(study, lab, pictures):
    device = lab["device"]
    figures = "".join(figure(panel, pictures) for panel in study["panels"])
    items = "".join(f"<li>{text(sentence)}</li>" for sentence in study["conclusions"])
    conclusions = (f'<div class="conclude"><h3>What to conclude</h3><ul>{items}</ul></div>' if items else "")
    name = text(study["name"])
    return (f'<section id="{name}"><h2>{name}<span class="seconds">{study["seconds"]:.1f} s</span></h2>'
            f'<p class="question">{text(study["question"])}</p>{conclusions}{age(study, lab)}'
            f"{then_and_now(study['history'], device)}{figures}</section>")


def not_shown(lab):
    if not lab["failed"] and not lab["left_out"]:
        return ""
    failed = "".join(f'<p class="failed"><strong>{text(s["name"])}</strong> failed: {text(s["why"])}</p>'
                     for s in lab["failed"])
    left_out = "".join(f"<li><strong>{text(s['name'])}</strong>, {text(s['why'])}: {text(s['question'])}</li>"
                       for s in lab["left_out"])
    return (f'<section id="not-shown"><h2>Not shown</h2>{failed}'
            + (f"<p>Left out on this device:</p><ul>{left_out}</ul>" if left_out else "") + "</section>")


def facts(lab):
    entries = [(fact["what"], fact["value"]) for fact in lab["facts"]]
    copy = lab["machine"]["copy"]
    if labels.finite(copy) and copy > 0:
        entries.append(("a copy beyond all caches, read and written", f"{labels.number(copy)} GB/s"))
    entries.append(("sweeps", "quick: fewer places, fewer repetitions" if lab["quick"] else "complete"))
    return "".join(f"<div><dt>{text(what)}</dt><dd>{text(value)}</dd></div>" for what, value in entries)


def contents(lab, omitted):
    """Lists the studies of each lecture in its order. A study of several lectures appears in each."""
    parts = []
    for lecture in lab["lectures"]:
        names = [study["name"] for study in lab["studies"] if lecture in study["lectures"]]
        links = "".join(f'<li><a href="#{text(name)}">{text(name)}</a></li>' for name in names)
        if names:
            parts.append(f"<h2>{text(lecture)}</h2><ol>{links}</ol>")
    if omitted:
        parts.append('<ol><li><a href="#not-shown">not shown</a></li></ol>')
    return "".join(parts)


def page(lab, pictures, styles, beside):
    sections = "".join(section(study, lab, pictures) for study in lab["studies"])
    omitted = not_shown(lab)
    listed = contents(lab, bool(omitted))
    style = pathlib.Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>poisson-lab on {text(lab['device'])}</title>
<style>
{style}{styles.css()}
</style>
</head>
<body>
<header>
<h1>What the memory system rewards</h1>
<p>Every time shown is the median of a variant whose result was compared with an oracle. Dashed lines are ceilings and
predictions; the conclusions are worked out from this device's own numbers, and say nothing that their scatter does not
allow: their figures have the two digits that another run confirms.</p>
<dl class="facts">{facts(lab)}</dl>
{others(lab, beside)}
</header>
<div class="frame">
<nav aria-label="Studies by lecture">{listed}</nav>
<main>
{sections}{omitted}
<footer>Made by poisson-lab. Every panel's points are behind its link CSV.</footer>
</main>
</div>
</body>
</html>
"""


def draw(lab, directory, beside=()):
    """Draws the pictures of all panels, and returns the page that contains them."""
    panels = [panel for study in lab["studies"] for panel in study["panels"]]
    paths = [directory / f"{panel['files']}.png" for panel in panels]
    with concurrent.futures.ProcessPoolExecutor() as drawers:
        drawn = list(drawers.map(plots.draw, panels, paths))
    styles = vector.Styles()
    pictures = {panel["files"]: vector.slim(picture, f"p{i}-", styles, alternative(panel))
                for i, (panel, picture) in enumerate(zip(panels, drawn))}
    return page(lab, pictures, styles, beside)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path, metavar="DIRECTORY or FILE.json")
    parser.add_argument("page", type=pathlib.Path, nargs="?")
    parser.add_argument("--beside", nargs=2, action="append", default=[], metavar=("OTHER.json", "LINK"))
    arguments = parser.parse_args()
    if arguments.page:
        lab = json.loads(arguments.source.read_text(encoding="utf-8"))
        beside = [(json.loads(pathlib.Path(file).read_text(encoding="utf-8")), link) for file, link in arguments.beside]
        with tempfile.TemporaryDirectory() as directory:
            arguments.page.write_text(draw(lab, pathlib.Path(directory), beside), encoding="utf-8")
        return
    lab = json.loads((arguments.source / "lab.json").read_text(encoding="utf-8"))
    (arguments.source / "lab.html").write_text(draw(lab, arguments.source), encoding="utf-8")


if __name__ == "__main__":
    main()
