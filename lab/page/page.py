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
import textwrap

sys.dont_write_bytecode = True  # the folder of the scripts may be read-only
import drawings  # noqa: E402
import labels  # noqa: E402
import lessons  # noqa: E402
import overview  # noqa: E402
import plots  # noqa: E402
import vector  # noqa: E402


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
    elif len(variants) <= len(places):
        head = row([cell(panel["x_label"], "th", scope="col")] + [cell(v, "th", scope="col") for v in variants])
        body = [row([cell(place(x), "th", scope="row")] + [value(v, x) for v in variants]) for x in places]
    else:
        head = row([cell(panel["x_label"], "th", scope="col")] + [cell(place(x), "th", scope="col") for x in places])
        body = [row([cell(v, "th", scope="row")] + [value(v, x) for x in places]) for v in variants]
    grid = f'<div class="wide"><table><thead>{head}</thead><tbody>{"".join(body)}</tbody></table></div>'
    summary = f"Table: {text(panel['y_label'])}, {count(variants, 'variant')}"
    if len(places) > 1:
        summary += f" at {count(places, 'place')}"
    return f'<p class="scatter">{summary}</p>{grid}'


def alternative(panel):
    """Describes a plot in words."""
    curves = ", ".join(dict.fromkeys(point["variant"] for point in panel["points"]))
    return f"{panel['y_label']} against {panel['x_label']}: {curves}"


def sentences(study, panel=None):
    """Returns the conclusions about one panel, or about the whole study: "[panel] sentence", or a sentence alone."""
    start = f"[{panel}] " if panel else ""
    return [text.removeprefix(start) for text in study["conclusions"]
            if (text.startswith(start) if panel else not text.startswith("["))]


def lesson(study, panel):
    """Returns the sentences of a panel, or a link to the panel whose sentence covers it."""
    own = sentences(study, panel["name"])
    cover = lessons.COVERED.get(study["name"], {}).get(panel["name"])
    other = next((one for one in study["panels"] if one["name"] == cover), None)
    if not own and other and sentences(study, cover):
        return f'<p class="lesson">The lesson is under <a href="#{text(other["files"])}">{text(other["title"])}</a>.</p>'
    return "".join(f'<p class="lesson">{text(sentence)}</p>' for sentence in own)


def figure(study, panel, pictures):
    picture = f'<div class="plot">{pictures[panel["files"]]}</div>' if panel["files"] in pictures else ""
    return (f'<figure id="{text(panel["files"])}"><figcaption>{text(panel["title"])}</figcaption>{picture}{lesson(study, panel)}'
            f"<details><summary>Values and spread</summary>{scatter(panel)}{table(panel)}</details></figure>")


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


SHARES = ("of it", "of the peak", "of the warps")


def share(value):
    return f"{labels.number(float(f'{100 * value:.2g}'))} %"


def then_text(entry):
    if entry["unit"] in SHARES:
        return share(entry["value"])
    upper = f" to {labels.number(entry['up_to'])}" if entry.get("up_to") else ""
    return f"{labels.number(entry['value'])}{upper} {entry['unit']}"


def ratio_text(entry):
    if entry["unit"] in SHARES:  # a ratio of shares says nothing
        return ""
    ratios = [entry["today"] / entry["value"]]
    if entry.get("up_to"):
        ratios.insert(0, entry["today"] / entry["up_to"])
    return " to ".join(labels.number(float(f"{ratio:.2g}")) for ratio in ratios) + " ×"


def today(entry):
    """Returns a figure of this device, with the two digits that another run confirms."""
    found = entry["today"]
    return found if found == round(found) else float(f"{found:.2g}")


def now_text(entry):
    return share(entry["today"]) if entry["unit"] in SHARES else f"{labels.number(today(entry))} {entry['unit']}"


def then_and_now(study, lab):
    """Compares the lectures' figures with those of this device. Figures that the device cannot have are omitted."""
    entries = [entry for entry in study["history"] if labels.finite(entry["today"]) and entry["value"]]
    if not entries:
        return ""
    rows = [row([f'<th scope="row">{text(entry["what"])}<small>{text(entry["device"])}</small></th>',
                 cell(then_text(entry)), cell(now_text(entry), class_="now"), cell(ratio_text(entry))]) for entry in entries]
    head = row([cell(name, "th", scope="col") for name in ("", "Then", lab["device"].removeprefix("NVIDIA "), "Now / then")])
    sources = list(dict.fromkeys(entry["lecture"] for entry in entries if entry.get("lecture")))
    return (f'<details class="history"><summary>Then and now: {count(entries, "figure")} of the lectures</summary>'
            f'<table class="then"><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table>'
            f'<p class="scatter">Figures of {text("; ".join(sources))}.</p></details>')


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
    links = []
    for other, link in beside:
        lacking = {one["what"] for study in other["studies"] for one in study.get("not_measured", [])}
        more = [one["what"] for study in lab["studies"] for one in study.get("not_measured", [])
                if one["what"] not in lacking]
        has = f", which has {listed(more)} as well" if more else ""
        links.append(f'<a href="{text(link)}">The same studies on {text(other["device"])}</a>, of commit '
                         f'{text(commit(other))}{text(has)}.')
    return f'<p class="beside">{" ".join(links)}</p>' if links else ""


def kernel(study):
    found = lessons.excerpt(study) if study in lessons.KERNELS else None
    if not found:
        return ""
    file, lines = found
    code = textwrap.dedent("\n".join([lines[0].lstrip(), *lines[1:]]) if lines[0].startswith("    ") else "\n".join(lines))
    return f'<figure class="kernel"><pre>{text(code)}</pre><figcaption>From lab/{text(file)}</figcaption></figure>'


def mechanism(study):
    return f'<figure class="mechanism">{drawings.DRAWINGS[study]()}</figure>' if study in drawings.DRAWINGS else ""


def exercise(study):
    """Asks the reader to predict, and folds the answer: the sentences of one panel."""
    question, panel = lessons.EXERCISES.get(study["name"], ("", ""))
    answers = sentences(study, panel) or sentences(study) or ["The panels above answer it."]
    if not question:
        return ""
    return (f'<div class="exercise"><p><b>Predict before you unfold.</b> {text(question)}</p><details><summary>Answer'
            f"</summary>{''.join(f'<p>{text(answer)}</p>' for answer in answers)}</details></div>")


def reference(study, lab):
    """Compares with gpu-benches, where its figures for this device are known."""
    source, rows = lessons.REFERENCE.get(lab["device"], ("", {}))
    found = [(words, other, unit, ours(lab)) for words, other, unit, ours in rows.get(study["name"], [])]
    body = "".join(row([cell(words, "th", scope="row"), cell(f"{labels.number(float(f'{mine:.3g}'))} {unit}"),
                        cell(f"{labels.number(float(f'{other:.3g}'))} {unit}"), cell(f"{mine / other:.2f}")])
                   for words, other, unit, mine in found if labels.finite(mine))
    if not body:
        return ""
    head = row([cell(name, "th", scope="col") for name in ("", "here", "gpu-benches", "ratio")])
    return (f'<figure><figcaption>Beside gpu-benches, {text(source)}</figcaption><div class="wide"><table><thead>{head}</thead>'
            f"<tbody>{body}</tbody></table></div></figure>")


def section(study, lab, pictures):
    name = text(study["name"])
    items = "".join(f"<li>{text(sentence)}</li>" for sentence in sentences(study)[:3])
    conclusions = f'<ul class="conclude">{items}</ul>' if items else ""
    figures = "".join(figure(study, panel, pictures) for panel in study["panels"]) + reference(study, lab)
    return (f'<section id="{name}"><h2>{name}</h2><p class="question">{text(study["question"])}</p>{conclusions}'
            f'{age(study, lab)}<div class="idea">{mechanism(study["name"])}{kernel(study["name"])}</div>'
            f'<div class="figures">{figures}</div>{exercise(study)}{then_and_now(study, lab)}</section>')


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
    entries = [(fact["what"], fact["value"]) for fact in lab["facts"] if fact["what"] != "device"]
    copy = lab["machine"]["copy"]
    if labels.finite(copy) and copy > 0:
        entries.insert(0, ("copy beyond all caches", f"{labels.number(copy)} GB/s"))
    if lab["quick"]:
        entries.append(("sweeps", "quick: fewer places, fewer repetitions"))
    return "".join(f"<div><dt>{text(what)}</dt><dd>{text(value)}</dd></div>" for what, value in entries)


def contents(lab, omitted):
    """Lists the studies of each lecture in its order. A study of several lectures appears in each."""
    parts = []
    for lecture in lab["lectures"]:
        found = [study for study in lab["studies"] if lecture in study["lectures"]]
        links = "".join(f'<li><a href="#{text(study["name"])}" title="{text(study["question"])}">{text(study["name"])}</a></li>'
                        for study in found)
        if found:
            parts.append(f"<h2>{text(lecture)}</h2><ol>{links}</ol>")
    if omitted:
        parts.append('<ol><li><a href="#not-shown">not shown</a></li></ol>')
    return "".join(parts)


def page(lab, pictures, styles, beside, documents):
    sections = "".join(section(study, lab, pictures) for study in lab["studies"])
    omitted = not_shown(lab)
    style = pathlib.Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    both = f" Pale curves and rings show {text(beside[0][0]['device'])}." if beside else ""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>GPU lectures put to the test on {text(lab['device'])}</title>
<style>
{style}{styles.css()}
</style>
</head>
<body>
{styles.shapes()}
<header>
<h1>Five lectures on GPU performance, tested on an {text(lab['device'])}</h1>
<p>Every number is measured on this device, by kernels whose results were compared with an oracle. Dashed lines are ceilings
and predictions.{both}</p>
<dl class="facts">{facts(lab)}</dl>
{others(lab, beside)}
</header>
<div class="frame">
<nav aria-label="Studies by lecture">{contents(lab, bool(omitted))}</nav>
<main>
{overview.overview(lab, beside)}{sections}{overview.elsewhere(documents)}{omitted}
<footer>Made by poisson-lab. Every panel's points are behind its link CSV.</footer>
</main>
</div>
</body>
</html>
"""


def shapes_in_one(study):
    """Replaces the panels of one place each that differ by the matrix alone by one panel: its bars are shapes and
    variants."""
    parts = [panel for panel in study["panels"] if panel["name"].startswith("shape-")]
    if len(parts) < 2:
        return study
    points = [{**point, "variant": f"{panel['title'].split(',')[0]}, {panel['title'].rsplit(', ', 1)[-1]}: {point['variant']}"}
              for panel in parts for point in panel["points"] if point["variant"] in ("library (tuned)", "cuBLAS geam")]
    joined = {**parts[-1], "title": "Tall, narrow, wide and batched matrices", "points": points, "guides": [], "bars": True}
    return {**study, "panels": [panel for panel in study["panels"] if panel not in parts] + [joined]}


def draw(lab, directory, beside=(), documents=False):
    """Draws the pictures of all panels, also into the directory if there is one, and returns the page that contains
    them."""
    lab = {**lab, "studies": [shapes_in_one(study) for study in lab["studies"]]}
    others_panels = {panel["files"]: panel for other, _ in beside[:1] for study in other["studies"]
                     for panel in shapes_in_one(study)["panels"]}
    panels = [(study["name"], lessons.drawn_part(study["name"], panel)) for study in lab["studies"] for panel in study["panels"]
              if (study["name"], panel["name"]) not in lessons.UNDRAWN]
    paths = [directory and directory / f"{panel['files']}.png" for _, panel in panels]
    with concurrent.futures.ProcessPoolExecutor() as drawers:
        drawn = list(drawers.map(plots.draw, [panel for _, panel in panels], paths,
                                 [others_panels.get(panel["files"]) for _, panel in panels],
                                 [lessons.notes(lab, study, panel) for study, panel in panels]))
    styles = vector.Styles()
    pictures = {panel["files"]: vector.slim(picture, styles, alternative(panel)) for (_, panel), picture in zip(panels, drawn)}
    return page(lab, pictures, styles, beside, documents)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path, metavar="DIRECTORY or FILE.json")
    parser.add_argument("page", type=pathlib.Path, nargs="?")
    parser.add_argument("--beside", nargs=2, action="append", default=[], metavar=("OTHER.json", "LINK"))
    parser.add_argument("--documents", action="store_true", help="link to the documents in the page's directory")
    arguments = parser.parse_args()
    if arguments.page:
        lab = json.loads(arguments.source.read_text(encoding="utf-8"))
        beside = [(json.loads(pathlib.Path(file).read_text(encoding="utf-8")), link) for file, link in arguments.beside]
        arguments.page.write_text(draw(lab, None, beside, arguments.documents), encoding="utf-8")
        return
    lab = json.loads((arguments.source / "lab.json").read_text(encoding="utf-8"))
    (arguments.source / "lab.html").write_text(draw(lab, arguments.source), encoding="utf-8")


if __name__ == "__main__":
    main()
