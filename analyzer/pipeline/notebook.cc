#include "pipeline/code_inputs.h"

#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "support/text_scan.h"

namespace shapewise {
namespace {

namespace ondemand = simdjson::ondemand;

// Cell magics whose cells still contain Python.
constexpr std::string_view kPythonMagics[] = {"%%time", "%%timeit", "%%capture", "%%prun"};

/// Converts positions to lines of a file; positions must be ascending.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}

  uint32_t LineAt(const char* at) {
    const auto offset = std::min(static_cast<size_t>(at - text_.data()), text_.size());
    line_ += static_cast<uint32_t>(std::count(text_.begin() + seen_, text_.begin() + offset, '\n'));
    seen_ = std::max(seen_, offset);
    return line_;
  }

 private:
  std::string_view text_;
  size_t seen_ = 0;
  uint32_t line_ = 1;
};

size_t CountLines(std::string_view text) {
  return static_cast<size_t>(std::ranges::count(text, '\n'));
}

/// Reads "source" (nbformat 4) or "input" (3): a text, or a list of lines with their ends.
bool ReadCellSource(ondemand::value source, LineCounter& counter, NotebookCell& cell) {
  const auto add = [&](ondemand::value value) {
    const char* at = value.raw_json_token().data();
    std::string_view piece;
    if (value.get_string().get(piece)) return false;
    const uint32_t line = counter.LineAt(at);
    cell.text += piece;
    const size_t wanted = CountLines(cell.text) + (cell.text.ends_with('\n') ? 0 : 1);
    cell.file_lines.resize(cell.text.empty() ? 0 : std::max(wanted, cell.file_lines.size()), line);
    return true;
  };
  ondemand::json_type type{};
  if (source.type().get(type)) return false;
  if (type == ondemand::json_type::string) return add(source);
  if (type != ondemand::json_type::array) return false;
  for (auto element : source.get_array()) {
    ondemand::value value;
    if (element.get(value) || !add(value)) return false;
  }
  return true;
}

/// Counts open brackets, so that a '%' in a continued expression is not mistaken for a magic.
void CountBrackets(std::string_view line, int& depth) {
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      break;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      depth = std::max(depth - 1, 0);
    }
  }
}

/// `files = !ls`, `%matplotlib inline`, `?print`, `print?`.
bool IsMagic(std::string_view line) {
  const std::string_view code = Trim(line);
  if (code.empty()) return false;
  if (code.front() == '%' || code.front() == '!' || code.front() == '?') return true;
  if (code.back() == '?' && code.find('#') == std::string_view::npos) return true;
  const size_t equals = code.find('=');
  if (equals == std::string_view::npos || equals + 1 >= code.size()) return false;
  const std::string_view value = TrimLeft(code.substr(equals + 1));
  const bool is_name = std::ranges::all_of(Trim(code.substr(0, equals)), IsWordChar);
  return is_name && !value.empty() && (value.front() == '!' || value.front() == '%');
}

/// The cell as plain Python with the same number of lines.
std::string PlainPython(std::string_view cell) {
  const std::string_view head = TrimLeft(cell.substr(0, cell.find('\n')));
  const bool is_foreign =
      head.starts_with("%%") && std::ranges::none_of(kPythonMagics, [&](std::string_view magic) {
        return head.starts_with(magic) &&
               (head.size() == magic.size() || !IsWordChar(head[magic.size()]));
      });
  std::string python;
  int depth = 0;
  bool goes_on = false;
  while (!cell.empty()) {
    const size_t end = cell.find('\n');
    const std::string_view line = cell.substr(0, end);
    if (is_foreign) {
      // Another language: the cell contains no Python.
    } else if (goes_on || (depth == 0 && IsMagic(line))) {
      if (!goes_on) python.append(line.substr(0, Indent(line))).append("pass");
      goes_on = TrimRight(line).ends_with('\\');
    } else {
      CountBrackets(line, depth);
      python += line;
    }
    python += '\n';
    if (end == std::string_view::npos) break;
    cell.remove_prefix(end + 1);
  }
  return python;
}

bool ReadCell(ondemand::object object, LineCounter& counter, NotebookCell& cell, bool& is_code) {
  is_code = false;
  bool has_source = false;
  for (auto member : object) {
    std::string_view key;
    ondemand::value value;
    if (member.unescaped_key().get(key) || member.value().get(value)) return false;
    if (key == "cell_type") {
      std::string_view type;
      if (value.get_string().get(type)) return false;
      is_code = type == "code";
    } else if (key == "source" || key == "input") {
      has_source = ReadCellSource(value, counter, cell);
    }
  }
  is_code = is_code && has_source;
  return true;
}

}  // namespace

CodeRange Notebook::InCell(const CodeRange& range) const {
  const auto next = std::ranges::upper_bound(cells, range.line, {}, &NotebookCell::first_line);
  if (next == cells.begin()) return range;
  const NotebookCell& cell = *std::prev(next);
  CodeRange mapped = range;
  mapped.cell = cell.number;
  mapped.line -= cell.first_line - 1;
  const auto last = static_cast<uint32_t>(std::max<size_t>(cell.file_lines.size(), 1));
  const uint32_t end =
      range.end_line < cell.first_line ? mapped.line : range.end_line - (cell.first_line - 1);
  mapped.end_line = std::min(end, std::max(last, mapped.line));
  return mapped;
}

std::optional<Notebook> ReadNotebook(std::string_view json) {
  const simdjson::padded_string padded(json);
  const std::string_view text(padded.data(), padded.size());
  ondemand::parser parser;
  ondemand::document document;
  ondemand::array list;
  if (parser.iterate(padded).get(document) || document["cells"].get_array().get(list)) {
    return std::nullopt;
  }
  Notebook notebook;
  LineCounter counter(text);
  uint32_t number = 0;
  uint32_t line = 1;
  for (auto element : list) {
    ondemand::object object;
    NotebookCell cell;
    bool is_code = false;
    if (element.get_object().get(object) || !ReadCell(object, counter, cell, is_code)) {
      return std::nullopt;
    }
    cell.number = ++number;
    if (!is_code) continue;
    cell.first_line = line;
    const std::string python = PlainPython(cell.text);
    line += static_cast<uint32_t>(CountLines(python));
    notebook.text += python;
    notebook.cells.push_back(std::move(cell));
  }
  return notebook;
}

}  // namespace shapewise
