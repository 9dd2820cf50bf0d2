#include "advise/python_lines.h"

#include <algorithm>
#include <initializer_list>

#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr size_t kMaxDecorators = 16;
constexpr std::string_view kCompile = "torch.compile(";

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

/// The texts between the commas of a list in parentheses, and where it ends.
struct Arguments {
  std::vector<std::string_view> texts;
  size_t close = 0;  ///< index of the closing parenthesis
};

/// Splits `text` after the parenthesis at `open`; absent: it does not close in this text, or an
/// escape or a comment may hide that.
std::optional<Arguments> SplitArguments(std::string_view text, size_t open) {
  Arguments arguments;
  int depth = 0;
  char quote = 0;
  size_t begin = open + 1;
  for (size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' || (c == '#' && quote == 0)) return std::nullopt;
    if (quote != 0) {
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '\'' || c == '"') quote = c;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    const bool is_end = depth == 0;
    if (!is_end && (c != ',' || depth != 1)) continue;
    const std::string_view argument = Trim(text.substr(begin, i - begin));
    if (!argument.empty()) arguments.texts.push_back(argument);
    begin = i + 1;
    if (!is_end) continue;
    arguments.close = i;
    return arguments;
  }
  return std::nullopt;
}

/// The names of the parameters of the `def` in `line`; absent: some have no name of their own.
std::optional<std::vector<std::string>> Parameters(std::string_view line) {
  const size_t open = line.find('(');
  if (open == std::string_view::npos) return std::nullopt;
  const auto arguments = SplitArguments(line, open);
  if (!arguments) return std::nullopt;
  std::vector<std::string> names;
  for (const std::string_view text : arguments->texts) {
    if (text == "*" || text == "/") continue;
    const std::string_view name = TrimRight(text.substr(0, text.find_first_of(":=")));
    if (!IsIdentifier(name)) return std::nullopt;
    names.emplace_back(name);
  }
  return names;
}

/// Whether `line` is one whole statement that evaluates the expression at `at` exactly once.
bool IsEvaluatedOnce(std::string_view line, size_t at) {
  const std::string in_parentheses = "(" + std::string(line) + ")";
  const auto whole = SplitArguments(in_parentheses, 0);
  if (!whole || whole->close + 1 != in_parentheses.size()) return false;
  if (HasText(line.substr(0, at), ";")) return false;  // what it needs may come before on the line
  const auto has_word = [](std::string_view text, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words,
                               [&](std::string_view word) { return ContainsWord(text, word); });
  };
  return !has_word(line.substr(0, at), {"and", "class", "def", "elif", "else", "except", "for",
                                        "if", "lambda", "or", "while", "with"}) &&
         !has_word(line, {"for", "lambda"});
}

/// Whether nothing of a statement is evaluated before what follows `text`.
bool BeginsStatement(std::string_view text) {
  text = TrimLeft(text);
  if (text.empty() || text == "return ") return true;
  return text.ends_with("= ") && std::ranges::all_of(text, [](char c) {
           return IsWordChar(c) || HasText(" ,.+-*=", {&c, 1});
         });
}

bool IsLiteral(std::string_view text) {
  return IsOneOf(text, {"None", "True", "False"}) ||
         std::ranges::all_of(text, [](char c) { return IsDigit(c) || c == '.' || c == '-'; });
}

}  // namespace

std::string_view NameOfDef(std::string_view line) {
  line = TrimLeft(line);
  ConsumeFront(line, "async ");
  if (!ConsumeFront(line, "def ")) return {};
  line = TrimLeft(line);
  return line.substr(
      0, static_cast<size_t>(std::ranges::find_if_not(line, IsWordChar) - line.begin()));
}

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

std::string PythonLines::ClassOf(size_t def) const {
  for (size_t i = def; i-- > 0;) {
    std::string_view line = lines_[i];
    if (Trim(line).empty() || Indent(line) >= Indent(lines_[def])) continue;
    if (!ConsumeFront(line, "class ")) return {};
    return std::string(line.substr(
        0, static_cast<size_t>(std::ranges::find_if_not(line, IsWordChar) - line.begin())));
  }
  return {};
}

std::optional<size_t> PythonLines::FindCompileCall(const Place& place) const {
  const std::optional<size_t> def = FindFunction(place);
  if (!def) return std::nullopt;
  for (size_t i = place.line - 1; i < *def; ++i) {
    if (StartsWithWord(TrimLeft(lines_[i]), "@torch.compile")) return i;
  }
  const bool is_method = Indent(lines_[*def]) != 0;
  const std::string type = is_method ? ClassOf(*def) : std::string();
  if (is_method && (type.empty() || place.function != "forward")) return std::nullopt;
  const auto makes_instance = [&](std::string_view name) {
    const std::string assignment = std::string(name) + " = " + type + "(";
    return std::ranges::any_of(lines_, [&](const std::string& line) {
      const size_t at = line.find(assignment);
      return at != std::string::npos && (at == 0 || line[at - 1] == ' ');
    });
  };
  std::optional<size_t> found;
  for (size_t i = 0; i < lines_.size(); ++i) {
    const std::string_view line = lines_[i];
    const size_t at = line.find(kCompile);
    if (at == std::string_view::npos) continue;
    const auto arguments = SplitArguments(line, at + kCompile.size() - 1);
    if (!arguments || arguments->texts.empty()) continue;
    const std::string_view compiled = arguments->texts.front();
    const bool is_it = is_method ? compiled.starts_with(type + "(") ||
                                       (IsIdentifier(compiled) && makes_instance(compiled))
                                 : compiled == place.function;
    if (!is_it) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

std::optional<std::string> PythonLines::CompiledName(const Place& place) const {
  const std::optional<size_t> line = FindCompileCall(place);
  if (!line) return std::nullopt;
  if (TrimLeft(lines_[*line]).starts_with('@')) return place.function;
  std::string_view text = lines_[*line];
  text = text.substr(0, text.find(kCompile));
  if (!text.ends_with(" = ")) return std::nullopt;
  text.remove_suffix(3);
  const size_t before = text.find_last_of(" ;");
  const std::string_view name = before == std::string_view::npos ? text : text.substr(before + 1);
  if (!IsIdentifier(name)) return std::nullopt;
  return std::string(name);
}

std::optional<std::vector<PlainCall>> PythonLines::FindCalls(const Place& place,
                                                             std::string_view code) const {
  const std::optional<size_t> def = FindFunction(place);
  const std::optional<std::string> name = CompiledName(place);
  if (!def || !name) return std::nullopt;
  auto parameters = Parameters(lines_[*def]);
  if (!parameters) return std::nullopt;
  if (Indent(lines_[*def]) != 0 && !parameters->empty()) parameters->erase(parameters->begin());
  std::set<std::string> needed;
  for (const std::string& parameter : *parameters) {
    if (ContainsWord(code, parameter)) needed.insert(parameter);
  }
  const size_t compiled_at = *FindCompileCall(place);
  std::vector<PlainCall> calls;
  for (size_t i = 0; i < lines_.size(); ++i) {
    if (i == *def || i == compiled_at) continue;
    const std::string_view line = lines_[i];
    std::optional<size_t> call;
    for (size_t at = FindWord(line, *name); at != std::string_view::npos;
         at = FindWord(line, *name, at + 1)) {
      const std::string_view rest = line.substr(at + name->size());
      const char before = at == 0 ? ' ' : line[at - 1];
      const bool is_text = (before == '"' || before == '\'') && rest.starts_with(before);
      const bool is_attribute =
          before == '.' || (rest.starts_with('.') && !rest.starts_with(".forward(") &&
                            !rest.starts_with(".__call__("));
      const bool is_bound_before = rest.starts_with(" = ") && i < compiled_at;
      const bool is_keyword = rest.starts_with('=') && !rest.starts_with("==");
      if (is_text || is_attribute || is_bound_before || is_keyword) continue;
      if (call || !rest.starts_with('(') || !IsEvaluatedOnce(line, at)) return std::nullopt;
      call = at + name->size();
    }
    if (!call) continue;
    std::optional<PlainCall> plain = ReadCall(i, *call, *parameters, needed);
    if (!plain) return std::nullopt;
    calls.push_back(std::move(*plain));
  }
  if (calls.empty()) return std::nullopt;
  return calls;
}

std::optional<PlainCall> PythonLines::ReadCall(size_t index, size_t open,
                                               const std::vector<std::string>& parameters,
                                               const std::set<std::string>& needed) const {
  const std::string_view line = lines_[index];
  const auto arguments = SplitArguments(line, open);
  if (!arguments) return std::nullopt;
  // Within the brackets of an earlier line no statement can be inserted.
  size_t before = index;
  while (before > 0 && Trim(lines_[before - 1]).empty()) --before;
  const std::string_view previous =
      before == 0 ? std::string_view() : TrimRight(lines_[before - 1]);
  constexpr std::string_view kOpen = "([{,\\=+-*/|&";
  const bool is_continued = !previous.empty() && HasText(kOpen, {&previous.back(), 1});
  if (is_continued) return std::nullopt;

  PlainCall call;
  call.line = index;
  call.indent = line.substr(0, Indent(line));
  std::string changed(line.substr(0, open + 1));
  size_t written = open + 1;
  size_t missing = needed.size();
  for (size_t k = 0; k < arguments->texts.size(); ++k) {
    std::string_view value = arguments->texts[k];
    std::string parameter = k < parameters.size() ? parameters[k] : std::string();
    const size_t equals = value.find('=');
    const bool is_keyword = equals != std::string_view::npos &&
                            IsIdentifier(TrimRight(value.substr(0, equals))) &&
                            value.substr(equals + 1, 1) != "=";
    if (is_keyword) {
      parameter = TrimRight(value.substr(0, equals));
      value = TrimLeft(value.substr(equals + 1));
    }
    if (parameter.empty() || value.starts_with('*')) return std::nullopt;
    const bool is_needed = needed.contains(parameter);
    if (!IsIdentifier(value) && !IsLiteral(value) && missing > 0) {
      if (!BeginsStatement(line.substr(0, line.rfind(' ', open) + 1))) return std::nullopt;
      // A mark needs the tensor that is passed. What is evaluated before it stays before it.
      const std::string variable = "marked_" + parameter;
      const bool is_taken = std::ranges::any_of(
          lines_, [&](const std::string& each) { return ContainsWord(each, variable); });
      if (is_taken) return std::nullopt;
      call.before.push_back(variable + " = " + std::string(value));
      const auto at = static_cast<size_t>(value.data() - line.data());
      changed.append(line.substr(written, at - written)).append(variable);
      written = at + value.size();
      call.arguments[parameter] = variable;
    } else {
      call.arguments[parameter] = value;
    }
    if (is_needed) --missing;
  }
  if (missing > 0) return std::nullopt;
  if (!call.before.empty()) call.changed = changed + std::string(line.substr(written));
  return call;
}

std::optional<std::string> WithArgument(std::string_view line, std::string_view argument) {
  constexpr std::string_view kName = "torch.compile";
  const size_t at = line.find(kName);
  if (at == std::string_view::npos) return std::nullopt;
  const size_t open = at + kName.size();
  const size_t equals = argument.find('=');
  const std::string_view keyword = argument.substr(0, equals + 1);
  const bool is_default = argument.substr(equals + 1) == "None";
  if (open == line.size()) {
    if (is_default) return std::nullopt;
    return std::string(line) + "(" + std::string(argument) + ")";
  }
  const auto arguments = line[open] == '(' ? SplitArguments(line, open) : std::nullopt;
  if (!arguments) return std::nullopt;
  const size_t close = arguments->close;
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
