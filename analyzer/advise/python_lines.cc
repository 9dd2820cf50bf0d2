#include "advise/python_lines.h"

#include <algorithm>

#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr size_t kMaxDecorators = 16;

/// Whether `text` starts with the word `word`.
bool StartsWithWord(std::string_view text, std::string_view word) {
  return text.starts_with(word) && (text.size() == word.size() || !IsWordChar(text[word.size()]));
}

/// Whether the line binds the name of `module`: "import os, torch  # comment".
bool ImportsModule(std::string_view line, std::string_view module) {
  if (!ConsumeFront(line, "import ")) return false;
  line = line.substr(0, line.find_first_of("#;"));
  while (!line.empty()) {
    const std::string_view part = line.substr(0, line.find(','));
    // "import torch.nn" binds torch, too.
    const std::string_view name = Trim(part);
    if (name == module) return true;
    if (name.starts_with(module) && name[module.size()] == '.' && !HasText(name, " as ")) {
      return true;
    }
    line.remove_prefix(std::min(line.size(), part.size() + 1));
  }
  return false;
}

/// The name after "def " in `line`; empty: it is not a def.
std::string_view NameOfDef(std::string_view line) {
  line = TrimLeft(line);
  ConsumeFront(line, "async ");
  if (!ConsumeFront(line, "def ")) return {};
  line = TrimLeft(line);
  return line.substr(
      0, static_cast<size_t>(std::ranges::find_if_not(line, IsWordChar) - line.begin()));
}

/// The plain names between the parentheses of `text`, which starts with the opening one and has
/// only `tail` after the closing one; absent otherwise.
std::optional<std::vector<std::string>> PlainNames(std::string_view text, std::string_view tail) {
  if (!ConsumeFront(text, "(")) return std::nullopt;
  const size_t end = text.find(')');
  if (end == std::string_view::npos || Trim(text.substr(end + 1)) != tail) return std::nullopt;
  text = text.substr(0, end);
  std::vector<std::string> names;
  while (!Trim(text).empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    const std::string_view name = Trim(part);
    if (!IsIdentifier(name)) return std::nullopt;
    names.emplace_back(name);
    text.remove_prefix(std::min(text.size(), part.size() + 1));
  }
  return names;
}

/// Where the parenthesis that opens at `open` closes on this line; npos: not on this line, or there
/// are quotes that could hide it.
size_t CloseOf(std::string_view line, size_t open) {
  int depth = 0;
  for (size_t i = open; i < line.size(); ++i) {
    if (line[i] == '(' || line[i] == '[' || line[i] == '{') ++depth;
    if (line[i] == ')' || line[i] == ']' || line[i] == '}') --depth;
    if (line[i] == '#' || line[i] == '\\') return std::string_view::npos;
    if (depth == 0) return i;
  }
  return std::string_view::npos;
}

}  // namespace

std::optional<size_t> PythonLines::FindFunction(const Place& place) const {
  if (place.line == 0 || place.line > lines_.size()) return std::nullopt;
  for (size_t i = place.line - 1; i < std::min(lines_.size(), place.line + kMaxDecorators); ++i) {
    const std::string_view line = lines_[i];
    if (NameOfDef(line) == place.function && !place.function.empty()) return i;
    if (!TrimLeft(line).starts_with('@')) return std::nullopt;
  }
  return std::nullopt;
}

bool PythonLines::IsWithin(const Place& place) const {
  if (place.line == 0 || place.line > lines_.size()) return false;
  const size_t indent = Indent(lines_[place.line - 1]);
  for (size_t i = place.line - 1; i-- > 0;) {
    const std::string_view line = lines_[i];
    const std::string_view name = NameOfDef(line);
    if (Trim(line).empty() || Indent(line) >= indent) continue;
    if (!name.empty()) return name == place.function;
    if (Indent(line) == 0) return false;
  }
  return false;
}

bool PythonLines::ImportsTorch() const {
  const size_t end = EndOfImports();
  return std::any_of(lines_.begin(), lines_.begin() + static_cast<ptrdiff_t>(end),
                     [](const std::string& line) { return ImportsModule(line, "torch"); });
}

size_t PythonLines::EndOfImports() const {
  size_t end = 0;
  bool in_parentheses = false;
  std::string_view quotes;  // the docstring's closing quotes
  for (size_t i = 0; i < lines_.size(); ++i) {
    const std::string_view line = TrimRight(lines_[i]);
    if (!quotes.empty()) {
      if (line.ends_with(quotes)) quotes = {};
      continue;
    }
    if (in_parentheses) {
      if (!line.ends_with(')')) continue;
      in_parentheses = false;
      end = i + 1;
      continue;
    }
    if (line.empty() || line.starts_with('#')) continue;
    if (StartsWithWord(line, "import") || StartsWithWord(line, "from")) {
      in_parentheses = line.ends_with('(');
      if (!in_parentheses) end = i + 1;
      continue;
    }
    const std::string_view opening = line.substr(0, 3);
    if (opening != "\"\"\"" && opening != "'''") break;
    const bool is_closed = line.size() >= 6 && line.ends_with(opening);
    if (!is_closed) quotes = opening;
  }
  return end;
}

std::optional<size_t> PythonLines::FindCompileCall(const Place& place) const {
  const std::optional<size_t> def = FindFunction(place);
  if (!def) return std::nullopt;
  for (size_t i = place.line - 1; i < *def; ++i) {
    if (StartsWithWord(TrimLeft(lines_[i]), "@torch.compile")) return i;
  }
  if (Indent(lines_[*def]) != 0) return std::nullopt;  // a method is compiled through its class
  std::optional<size_t> found;
  const std::string call = "torch.compile(" + place.function;
  for (size_t i = 0; i < lines_.size(); ++i) {
    const size_t at = lines_[i].find(call);
    if (at == std::string::npos) continue;
    const std::string_view rest = std::string_view(lines_[i]).substr(at + call.size());
    if (!rest.starts_with(',') && !rest.starts_with(')')) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

std::optional<std::string> PythonLines::CompiledName(const Place& place) const {
  const std::optional<size_t> line = FindCompileCall(place);
  if (!line) return std::nullopt;
  if (TrimLeft(lines_[*line]).starts_with('@')) return place.function;
  const std::string_view text = lines_[*line];
  const size_t equals = text.find(" = torch.compile(");
  if (equals == std::string_view::npos) return std::nullopt;
  const std::string_view name = text.substr(0, equals);
  if (!IsIdentifier(name)) return std::nullopt;
  return std::string(name);
}

std::optional<std::vector<PlainCall>> PythonLines::FindCalls(const Place& place) const {
  const std::optional<size_t> def = FindFunction(place);
  const std::optional<std::string> name = CompiledName(place);
  if (!def || !name || Indent(lines_[*def]) != 0) return std::nullopt;
  const std::string& head = lines_[*def];
  const size_t open = std::min(head.find('('), head.size());
  const auto parameters = PlainNames(std::string_view(head).substr(open), ":");
  if (!parameters) return std::nullopt;
  std::vector<PlainCall> calls;
  for (size_t i = 0; i < lines_.size(); ++i) {
    const std::string_view line = lines_[i];
    size_t at = line.find(*name);
    bool is_named = false;
    for (; at != std::string_view::npos; at = line.find(*name, at + 1)) {
      const bool is_word =
          (at == 0 || !IsWordChar(line[at - 1])) &&
          (at + name->size() == line.size() || !IsWordChar(line[at + name->size()]));
      const bool is_text = at > 0 && at + name->size() < line.size() &&
                           (line[at - 1] == '"' || line[at - 1] == '\'') &&
                           line[at + name->size()] == line[at - 1];
      if (is_word && !is_text) {
        is_named = true;
        break;
      }
    }
    const bool is_definition = i == *def || TrimLeft(line).starts_with(*name + " = torch.compile(");
    if (!is_named || is_definition) continue;
    std::string_view rest = TrimLeft(line);
    const size_t equals = rest.find(" = ");
    if (equals != std::string_view::npos && IsIdentifier(rest.substr(0, equals))) {
      rest.remove_prefix(equals + 3);
    }
    if (!ConsumeFront(rest, *name)) return std::nullopt;
    const auto arguments = PlainNames(rest, "");
    if (!arguments || arguments->size() != parameters->size()) return std::nullopt;
    PlainCall call;
    call.line = i;
    call.indent = line.substr(0, Indent(line));
    for (size_t k = 0; k < arguments->size(); ++k) {
      call.arguments[(*parameters)[k]] = (*arguments)[k];
    }
    calls.push_back(std::move(call));
  }
  if (calls.empty()) return std::nullopt;
  return calls;
}

std::optional<std::string> WithArgument(std::string_view line, std::string_view argument) {
  constexpr std::string_view kCompile = "torch.compile";
  const size_t at = line.find(kCompile);
  if (at == std::string_view::npos) return std::nullopt;
  const size_t open = at + kCompile.size();
  const size_t equals = argument.find('=');
  const std::string_view keyword = argument.substr(0, equals + 1);
  const bool is_default = argument.substr(equals + 1) == "None";
  if (open == line.size()) {
    if (is_default) return std::nullopt;
    return std::string(line) + "(" + std::string(argument) + ")";
  }
  const size_t close = line[open] == '(' ? CloseOf(line, open) : std::string_view::npos;
  if (close == std::string_view::npos) return std::nullopt;
  std::string inside(line.substr(open + 1, close - open - 1));
  const size_t known = inside.find(keyword);
  if (known != std::string::npos) {
    const size_t end = std::min(inside.find(',', known), inside.size());
    const bool is_false =
        Trim(inside.substr(known + keyword.size(), end - known - keyword.size())) == "False";
    if (!is_false) return std::nullopt;
    if (is_default) {
      // Remove the comma as well: the preceding one, or the following one for the first argument.
      const size_t comma = inside.rfind(',', known);
      if (comma != std::string::npos) {
        inside.erase(comma, end - comma);
      } else {
        inside.erase(known, std::min(inside.size(), end + 1) - known);
        inside.erase(0, inside.size() - TrimLeft(inside).size());
      }
    } else {
      inside.replace(known, end - known, argument);
    }
  } else {
    if (is_default) return std::nullopt;
    inside += (Trim(inside).empty() ? "" : ", ") + std::string(argument);
  }
  return std::string(line.substr(0, open + 1)) + inside + std::string(line.substr(close));
}

std::string WithNames(std::string_view code, const std::map<std::string, std::string>& names) {
  std::string changed;
  char quote = 0;
  while (!code.empty()) {
    const char c = code.front();
    if (c == '\'' || c == '"') quote = quote == 0 ? c : (quote == c ? '\0' : quote);
    const auto end = std::ranges::find_if_not(code, IsWordChar);
    const std::string word(code.begin(), end);
    if (word.empty()) {
      changed += code.front();
      code.remove_prefix(1);
      continue;
    }
    const auto known = names.find(word);
    // A word after a dot is an attribute, not the variable.
    const bool is_variable = quote == 0 && (changed.empty() || changed.back() != '.');
    changed += known != names.end() && is_variable ? known->second : word;
    code.remove_prefix(word.size());
  }
  return changed;
}

}  // namespace shapewise
