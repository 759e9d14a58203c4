"""Makes the first screen of the page: a ladder from the lectures' devices to this one, and ten rules with their factors."""

import html
import math

import labels
import lessons


def text(value):
    return html.escape(str(value), quote=True)


def factor(value):
    return labels.number(float(f"{value:.2g}"))


def steps(lab):
    """Returns (study, words, entry, least and largest factor) of the ladder's figures."""
    found = []
    for name, start, words in lessons.LADDER:
        for study in lab["studies"]:
            for entry in study["history"] if study["name"] == name else []:
                if entry["what"].startswith(start) and labels.finite(entry["today"]) and entry["value"]:
                    upper = entry.get("up_to") or entry["value"]
                    found.append((name, words, entry, entry["today"] / upper, entry["today"] / entry["value"]))
                    break
    return found


def ladder(lab):
    rows = steps(lab)
    if not rows:
        return ""
    low, high = 0.1, 200
    at = lambda ratio: 300 + 240 * (math.log(ratio / low) / math.log(high / low))
    parts = [f'<line x1="{at(t):.0f}" x2="{at(t):.0f}" y1="18" y2="{24 + 30 * len(rows)}" stroke="{"#59636e" if t == 1 else "#d5dae0"}"/>'
             f'<text x="{at(t):.0f}" y="13" text-anchor="middle" font-size="11">{t:g} ×</text>' for t in (0.1, 1, 10, 100)]
    for i, (name, words, entry, least, most) in enumerate(rows):
        y = 38 + 30 * i
        upper = f"–{labels.number(entry['up_to'])}" if entry.get("up_to") else ""
        today = labels.number(float(f"{entry['today']:.2g}"))
        parts.append(f'<a href="#{text(name)}"><text x="0" y="{y}" font-size="12.5">{text(words)}</text>'
                     f'<text x="0" y="{y + 12}" font-size="10.5" fill="#59636e">{text(entry["device"])}: '
                     f'{labels.number(entry["value"])}{upper} → {today} {text(entry["unit"])}</text></a>'
                     f'<line x1="{at(least):.0f}" x2="{at(most):.0f}" y1="{y}" y2="{y}" stroke="#0072B2" stroke-width="9" '
                     f'stroke-linecap="round"/>')
    return (f'<figure><figcaption>From then to this device</figcaption><svg class="ladder" viewBox="0 0 560 {30 + 30 * len(rows)}" '
            f'font-family="sans-serif" role="img" aria-label="Factors between the devices of the lectures and this one">'
            f'{"".join(parts)}</svg><p class="lesson">Throughput grew by factors of tens in twenty years; the latency of memory, '
            f'in clocks, hardly changed. Parallelism has to hide it.</p></figure>')


def rules(lab):
    items = []
    for priority, study, words, of in lessons.RULES:
        try:
            found = of(lab)
        except (ZeroDivisionError, TypeError):  # a value that was not measured
            continue
        if labels.finite(found) and any(one["name"] == study for one in lab["studies"]):
            items.append(f'<li class="{priority}"><a href="#{study}">{text(words)}</a> <b>{factor(found)} ×</b></li>')
    return f'<figure><figcaption>Ten rules, most important first</figcaption><ol class="rules">{"".join(items)}</ol></figure>' if items else ""


def questions(lab):
    """Lists questions with a link to the panel whose sentences answer each."""
    files = {(study["name"], panel["name"]): panel["files"] for study in lab["studies"] for panel in study["panels"]
             if any(sentence.startswith(f"[{panel['name']}] ") for sentence in study["conclusions"])}
    items = "".join(f'<li><a href="#{text(files[study, panel])}">{text(words)}</a></li>'
                    for words, study, panel in lessons.QUESTIONS if (study, panel) in files)
    return (f'<figure><figcaption>Questions, each answered under its plot</figcaption><ol class="rules questions">{items}</ol></figure>'
            if items else "")


def shared_limits(lab, beside):
    """Lists figures that are equal on both devices and figures that differ as their copies do."""
    if not beside:
        return ""
    other = beside[0][0]
    if not (lab["machine"].get("copy") and other["machine"].get("copy")):
        return ""
    copies = lab["machine"]["copy"] / other["machine"]["copy"]
    if not 1.2 < max(copies, 1 / copies):
        return ""
    rows = []
    for study, panel, variant, words in (
            ("transpose", "bars-4000-fp32", "naive (coalesced write)", "transposition with scattered reads"),
            ("transpose", "bars-4000-fp32", "tiled (bank conflicts)", "tile with bank conflicts"),
            ("access", "orders", "scattered segments", "segments in random order"),
            ("texture", "best", "float, columns, plain", "columns by plain loads"),
            ("texture", "best", "float, rows, plain", "rows by plain loads"),
            ("copy", "per-thread", "16 B", "copy, 16 bytes per access")):
        mine, theirs = (lessons.value(one, study, panel, variant) for one in (lab, other))
        if labels.finite(mine) and labels.finite(theirs) and theirs:
            ratio = mine / theirs
            limit = "chip" if abs(ratio - 1) < 0.06 else "memory" if abs(ratio / copies - 1) < 0.06 else "both"
            rows.append(f'<tr><th scope="row">{words}</th><td>{ratio:.2f}</td><td>{limit}</td></tr>')
    name, beside_name = (one["device"].removeprefix("NVIDIA ") for one in (lab, other))
    apart = max(copies, 1 / copies)
    return (f'<figure><figcaption>The chip or the memory?</figcaption><table><thead><tr><th></th><th>{text(name)} / '
            f'{text(beside_name)}</th><th>limit</th></tr></thead><tbody>{"".join(rows)}</tbody></table><p class="lesson">Both '
            f"devices have the same chip. What is equal on both is the chip's limit; what differs by {apart:.2f}, as their copies do, "
            f"is the memory's.</p></figure>")


def overview(lab, beside):
    parts = ladder(lab) + rules(lab) + questions(lab) + shared_limits(lab, beside)
    return f'<section id="overview"><h2>Overview</h2><div class="figures">{parts}</div></section>' if parts else ""


def elsewhere(documents):
    items = "".join(f"<li>{text(words)}" + (f': <a href="{target}">{text(name)}</a>' if documents and target else "") + "</li>"
                    for words, target, name in lessons.ELSEWHERE)
    return f'<section id="elsewhere"><h2>Elsewhere</h2><p>Topics of the lectures outside these studies:</p><ul>{items}</ul></section>'
