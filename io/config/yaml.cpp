#include "io/config/yaml.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "io/config/yaml_scalar.hpp"

namespace poisson {

namespace {

/// Aliases multiply values, and a few nested ones can fill any memory. No realistic configuration comes near this
/// limit.
constexpr std::size_t most_aliased_values = 1'000'000;

/// The limit also stops endless files such as /dev/zero.
constexpr std::size_t largest_file = std::size_t{64} << 20;

std::size_t count_values(const Value& value) {
  std::size_t count = 1;
  for (const Value& item : value.items) count += count_values(item);
  for (const Value::Entry& entry : value.entries) count += count_values(entry.value);
  return count;
}

/// Builds the tree from the parser's events. Unlike a node tree, events show duplicate keys and quoted scalars.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(Mark origin, Diagnostics& errors) : origin_(std::move(origin)), errors_(errors) {}

  std::optional<Value> root;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {
    if (key_of_many_) fail(*key_of_many_, "a list or map is used as a key; keys must be plain words");
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { finish(Value::nothing(here(mark)), anchor); }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    Value value;
    if (tag == "!" || tag == "tag:yaml.org,2002:str") {
      value.kind = Value::Kind::string;
      value.text = text;
    } else {
      if (tag != "?" && !tag.empty()) refuse_tag(mark, tag);
      value = plain_scalar(text);
    }
    value.mark = here(mark);
    finish(std::move(value), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail(mark, "an alias is inside the value that it names; write the value out");
    aliased_ += count_values(found->second);
    if (aliased_ > most_aliased_values) fail(mark, "aliases expand to more than a million values; use fewer");
    finish(found->second, 0);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Value::Kind::list, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Value::Kind::map, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& message) const {
    throw ConfigError({here(mark).text() + ": " + message});
  }

 private:
  struct Key {
    std::string name;
    Mark mark;
    bool duplicate;
  };
  struct Frame {
    Value value;
    YAML::anchor_t anchor;
    std::optional<Key> key;     // waits for its value
    std::vector<Value> merged;  // maps named by `<<`
  };

  Mark here(const YAML::Mark& mark) const {
    if (origin_.line == 0) return origin_;
    return {origin_.source, mark.line + 1, mark.column + 1};
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    fail(mark, "the tag '" + tag + "' is not supported; remove it (the value determines the type)");
  }

  std::string path(const std::string& last) const {
    std::string all;
    for (const Frame& frame : frames_)
      if (frame.key) all += frame.key->name + ".";
    return all + last;
  }

  void open(Value::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (tag != "?" && tag != "!" && !tag.empty() && !tag.starts_with("tag:yaml.org,2002:")) refuse_tag(mark, tag);
    // An unclosed bracket looks the same, but the parser reports it later with a better message.
    const bool is_key = !frames_.empty() && frames_.back().value.kind == Value::Kind::map && !frames_.back().key;
    if (is_key && !key_of_many_) key_of_many_ = mark;
    Value value;
    value.kind = kind;
    value.mark = here(mark);
    frames_.push_back({std::move(value), anchor, std::nullopt, {}});
  }

  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    for (Value& merged : frame.merged)
      for (Value::Entry& entry : merged.entries)
        if (!frame.value.find(entry.key)) frame.value.entries.push_back(std::move(entry));
    finish(std::move(frame.value), frame.anchor);
  }

  void finish(Value value, YAML::anchor_t anchor) {
    if (anchor) anchors_[anchor] = value;
    if (frames_.empty()) {
      root = std::move(value);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.value.kind == Value::Kind::list) {
      frame.value.items.push_back(std::move(value));
    } else if (!frame.key) {
      begin_entry(frame, value);
    } else {
      const Key key = *std::exchange(frame.key, std::nullopt);
      if (value.kind == Value::Kind::null) value.mark = key.mark;  // the parser's mark is in the next line
      if (key.name == "<<")
        merge(frame, key.mark, std::move(value));
      else if (!key.duplicate)
        frame.value.entries.push_back({key.name, key.mark, std::move(value)});
    }
  }

  void begin_entry(Frame& frame, const Value& key) {
    const auto first = std::ranges::find(frame.value.entries, key.text, &Value::Entry::key);
    const bool duplicate = first != frame.value.entries.end();
    if (duplicate) {
      const std::string line = first->mark.line > 0 ? " (first in line " + std::to_string(first->mark.line) + ")" : "";
      errors_.add(key.mark, path(key.text), "is given twice" + line + "; keep one of the two");
    }
    frame.key = Key{key.text, key.mark, duplicate};
  }

  void merge(Frame& frame, const Mark& mark, Value value) {
    std::vector<Value> maps;
    if (value.kind == Value::Kind::list)
      maps = std::move(value.items);
    else
      maps.push_back(std::move(value));
    for (Value& map : maps) {
      if (map.kind == Value::Kind::map)
        frame.merged.push_back(std::move(map));
      else
        errors_.add(mark, path("<<"), "merges " + map.description() + "; name a map, such as <<: *anchor");
    }
  }

  Mark origin_;
  Diagnostics& errors_;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, Value> anchors_;
  std::size_t aliased_ = 0;
  std::optional<YAML::Mark> key_of_many_;
};

/// Returns the remedy for a parser error, guessed from the text of the line.
std::string remedy(const std::string& text, int line) {
  std::istringstream lines(text);
  std::string content;
  for (int i = 0; i <= line && std::getline(lines, content);) ++i;
  const std::size_t tab = content.find('\t');
  if (tab != std::string::npos && content.find_first_not_of(" \t") > tab) return "indent with spaces, not with tabs";
  if (content.find('?') != std::string::npos) return "put an expression with ?: in quotes";
  return "check the indentation, brackets and quotes here and just before";
}

Value parse_document(const std::string& text, const Mark& origin, Diagnostics& errors) {
  std::istringstream stream(text);
  TreeBuilder builder(origin, errors);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder) || !builder.root) return Value::nothing(origin);
    Value root = *std::exchange(builder.root, std::nullopt);
    if (parser.HandleNextDocument(builder) && builder.root)
      throw ConfigError({builder.root->mark.text() + ": a second YAML document begins; keep one document in a file"});
    return root;
  } catch (const YAML::Exception& error) {
    builder.fail(error.mark, "not valid YAML (" + error.msg + "); " + remedy(text, error.mark.line));
  }
}

/// Returns the file's name in messages.
std::string name_of(const std::filesystem::path& file) {
  return is_standard_input(file) ? "standard input" : file.string();
}

std::string read_text(const std::filesystem::path& file) {
  const auto fail = [&](const std::string& message, const std::string& place = "") {
    throw ConfigError({name_of(file) + place + ": " + message});
  };
  std::error_code ignored;
  const bool piped = is_standard_input(file);
  if (!piped && std::filesystem::is_directory(file, ignored)) fail("is a directory; give the YAML file in it");
  errno = 0;
  std::ifstream opened;
  if (!piped) opened.open(file, std::ios::binary);
  std::istream& stream = piped ? std::cin : opened;
  if (!stream) fail(std::string("cannot be opened (") + std::strerror(errno) + "); check the path and its permissions");
  std::string text;
  for (std::array<char, 1 << 16> piece; stream.read(piece.data(), piece.size()), stream.gcount() > 0;) {
    text.append(piece.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > largest_file)
      fail("exceeds 64 MiB, too long for a configuration; put long lists of nodes into HDF5 files");
  }
  if (stream.bad()) fail(std::string("cannot be read (") + std::strerror(errno) + "); check the file");
  if (const std::size_t bad = invalid_utf8(text); bad != std::string::npos) {
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n');
    const std::size_t start = bad == 0 ? std::string::npos : text.rfind('\n', bad - 1);
    const std::size_t column = start == std::string::npos ? bad + 1 : bad - start;
    fail("is not UTF-8 text; save the file as UTF-8", ":" + std::to_string(line) + ":" + std::to_string(column));
  }
  return text;
}

}  // namespace

Value read_yaml(const std::filesystem::path& file, Diagnostics& errors) {
  const std::string text = read_text(file);
  const Mark origin{std::make_shared<const std::string>(name_of(file)), 1, 1};
  return parse_document(text, origin, errors);
}

Value parse_yaml(const std::string& text, const std::string& source, Diagnostics& errors) {
  return parse_document(text, {std::make_shared<const std::string>(source), 0, 0}, errors);
}

Value Value::nothing(const Mark& mark) {
  Value value;
  value.mark = mark;
  return value;
}

const Value* Value::find(std::string_view key) const {
  const auto found = std::ranges::find(entries, key, &Entry::key);
  return found == entries.end() ? nullptr : &found->value;
}

Value* Value::find(std::string_view key) {
  return const_cast<Value*>(std::as_const(*this).find(key));
}

const Value* Value::at(std::string_view path) const {
  const Value* value = this;
  while (value && !path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    value = value->find(path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return value;
}

std::string Value::description() const {
  switch (kind) {
    case Kind::null:
      return "nothing";
    case Kind::boolean:
      return "the boolean " + text;
    case Kind::number:
      return "the number " + text;
    case Kind::string:
      if (array) return "an " + text;
      return "the string \"" + (text.size() > 60 ? text.substr(0, 57) + "..." : text) + "\"";
    case Kind::list:
      return items.empty() ? "an empty list" : "a list";
    case Kind::map:
      return entries.empty() ? "an empty map" : "a map";
  }
  return {};
}

}  // namespace poisson
