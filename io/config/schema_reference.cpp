#include "io/config/schema.hpp"
#include "io/expressions/expression_parser.hpp"

namespace poisson {

namespace {

/// Escapes bars, which would end a table cell.
std::string cell(std::string text) {
  for (std::size_t bar = text.find('|'); bar != std::string::npos; bar = text.find('|', bar + 2))
    text.insert(bar, "\\");
  return text;
}

std::string code(std::string_view text) {
  return "`" + cell(std::string(text)) + "`";
}

std::string meaning(const Schema& schema) {
  std::string text(schema.doc);
  const auto choices = [&](const std::vector<Choice>& options) {
    for (const Choice& option : options)
      if (!option.doc.empty()) text += "<br>" + code(option.name) + ": " + std::string(option.doc);
  };
  choices(schema.choices);
  for (const Schema& item : schema.items) choices(item.choices);
  return cell(text);
}

std::string fallback(const Schema& schema) {
  if (schema.required && schema.fallback == "null") return "required, or " + code(schema.unless);
  if (schema.required) return "required";
  if (schema.fallback.empty()) return "";
  return code(schema.fallback);
}

void row(const Schema& schema, const std::string& path, const std::string& condition, std::string& page) {
  std::string values = schema.type == Type::map ? "map" : expected(schema);
  if (schema.type == Type::list && !schema.items.empty() && schema.items.front().type == Type::integer)
    values += ", each " + expected(schema.items.front());
  page += "| " + code(path) + " | " + cell(values) + " | " + fallback(schema) + " | " + condition + meaning(schema) +
          " |\n";
}

void rows(const std::vector<Schema>& keys, const std::string& path, const std::string& condition, std::string& page) {
  for (const Schema& key : keys) {
    const std::string full = path + "." + std::string(key.key);
    row(key, full, condition, page);
    rows(key.keys, full, condition, page);
    // All faces have the same forms, and so do all axes; the table lists the first one.
    const bool repeated = path == "boundary" ? key.key != "default" : key.key == "y" || key.key == "z";
    if (!repeated)
      for (const Schema& form : key.forms) rows(form.keys, full, "", page);
    // Lists within lists are left out, since lists of shapes would repeat all shapes.
    const std::string item = full + (key.type == Type::list ? "[]" : ".NAME");
    for (const Schema& of : key.items)
      if (path.find('[') == std::string::npos) rows(of.keys, item, "", page);
    for (const Choice& option : key.choices)
      rows(option.keys, path, "With " + code(std::string(key.key) + ": " + std::string(option.name)) + ". ", page);
  }
}

}  // namespace

std::string reference_page() {
  std::string page =
      "# Configuration\n\n"
      "This page lists every key of a configuration file with its type, its default and its meaning. `poisson "
      "--reference` prints it, and `poisson --schema` prints a JSON Schema.\n\n"
      "The file is YAML 1.2. Unknown and duplicate keys are errors. `--set solver.tolerance=1e-10` overrides one key. "
      "Paths in the file are relative to its folder. Paths in `--set`, in a configuration from standard input and of "
      "the default output are relative to the working directory. Expressions use `x`, `y`, `z`, `pi`, `_pi`, `_e`, the "
      "numbers in `parameters`, the operators `+ - * / ^ < > <= >= == != && || ?:` and the functions";
  for (const std::string& function : expression_functions()) page += " `" + function + "`";
  page +=
      "; in two dimensions `z` is 0. `log` is `ln`, `rint` rounds halves up, and `fmod(a, b)` has the sign of `a`. "
      "`min`, `max`, `sum` and `avg` accept any number of arguments. A number may also be arithmetic such as `2*pi`.\n";
  for (const Schema& section : configuration_schema().keys) {
    page += "\n## " + std::string(section.key) + "\n\n| key | value | default | meaning |\n|---|---|---|---|\n";
    row(section, std::string(section.key), "", page);
    rows(section.keys, std::string(section.key), "", page);
  }
  return page;
}

}  // namespace poisson
