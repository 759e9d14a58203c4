#include "io/meshes/xml_tags.hpp"

#include "io/config/spelling.hpp"

namespace poisson {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Reads `key="value"` pairs of a tag.
void read_attributes(MeshBytes& in, std::string_view text, XmlTag& tag) {
  std::size_t at = 0;
  while (true) {
    while (at < text.size() && is_blank(text[at])) ++at;
    if (at == text.size()) return;
    const std::size_t equals = text.find('=', at);
    if (equals == std::string_view::npos) in.fail("the attributes of <" + printable(tag.name) + "> are damaged");
    std::string_view key = text.substr(at, equals - at);
    while (!key.empty() && is_blank(key.back())) key.remove_suffix(1);
    std::size_t quote = equals + 1;
    while (quote < text.size() && is_blank(text[quote])) ++quote;
    const bool quoted = quote < text.size() && (text[quote] == '"' || text[quote] == '\'');
    const std::size_t end = quoted ? text.find(text[quote], quote + 1) : std::string_view::npos;
    if (end == std::string_view::npos) in.fail("an attribute of <" + printable(tag.name) + "> is not in quotes");
    tag.attributes[std::string(key)] = std::string(text.substr(quote + 1, end - quote - 1));
    at = end + 1;
  }
}

// Returns the place of the > that ends a tag, outside of quotes.
std::size_t end_of_tag(std::string_view bytes, std::size_t at) {
  char quote = 0;
  for (; at < bytes.size(); ++at) {
    const char c = bytes[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return at;
    }
  }
  return std::string_view::npos;
}

}  // namespace

XmlTag next_tag(MeshBytes& in) {
  const std::string_view bytes = in.bytes();
  while (true) {
    const std::size_t start = bytes.find('<', in.at());
    if (start == std::string_view::npos) in.fail("the file ends within an element: it is incomplete; save it again");
    in.move_to(start);
    if (bytes.substr(start, 4) == "<!--") {
      const std::size_t end = bytes.find("-->", start);
      if (end == std::string_view::npos) in.fail("a comment has no end");
      in.move_to(end + 3);
      continue;
    }
    const std::size_t end = end_of_tag(bytes, start);
    if (end == std::string_view::npos) in.fail("a tag has no end: the file is incomplete; save it again");
    std::string_view text = bytes.substr(start + 1, end - start - 1);
    if (text.starts_with("?") || text.starts_with("!")) {
      in.move_to(end + 1);
      continue;
    }
    XmlTag tag;
    tag.closes = text.starts_with("/");
    if (tag.closes) text.remove_prefix(1);
    tag.empty = text.ends_with("/");
    if (tag.empty) text.remove_suffix(1);
    std::size_t name = 0;
    while (name < text.size() && !is_blank(text[name])) ++name;
    tag.name = std::string(text.substr(0, name));
    read_attributes(in, text.substr(name), tag);
    in.move_to(end + 1);
    return tag;
  }
}

}  // namespace poisson
