#include "ingest/formats/torchscript/code_file.h"

#include <algorithm>

#include "ingest/formats/torchscript/literal.h"
#include "ingest/formats/torchscript/type_text.h"
#include "ingest/graph_format.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

/// Lines of a text that are not blank.
class CodeLines {
 public:
  explicit CodeLines(std::string_view text) : rest_(text) { Next(); }

  const CodeLine& line() const { return line_; }
  bool is_at_end() const { return is_at_end_; }

  void Next() {
    while (!rest_.empty()) {
      const size_t end = std::min(rest_.find('\n'), rest_.size());
      const std::string_view text = TrimRight(rest_.substr(0, end));
      rest_.remove_prefix(std::min(rest_.size(), end + 1));
      ++number_;
      line_ = {Indent(text), TrimLeft(text), number_};
      if (!line_.text.empty()) return;
    }
    is_at_end_ = true;
    line_ = {};
  }

 private:
  std::string_view rest_;
  CodeLine line_;
  size_t number_ = 0;
  bool is_at_end_ = false;
};

CodeParameter ReadParameter(std::string_view text) {
  CodeParameter parameter;
  const size_t equals = FindOutside(text, "=");
  if (equals != std::string_view::npos) {
    parameter.default_value = Trim(text.substr(equals + 1));
    text = text.substr(0, equals);
  }
  const size_t colon = text.find(':');
  parameter.name = Trim(text.substr(0, colon));
  if (colon != std::string_view::npos) parameter.type = Trim(text.substr(colon + 1));
  return parameter;
}

/// Reads the function whose "def" is the current line, up to the line behind its body.
CodeFunction ReadFunction(CodeLines& lines) {
  CodeFunction function;
  const size_t indent = lines.line().indent;
  function.line = lines.line().number;
  const std::string_view head = lines.line().text;
  const size_t open = head.find('(');
  function.name = head.substr(0, open);
  ConsumeFront(function.name, "def ");
  function.name = Trim(function.name);

  // The parameters reach over lines until the bracket closes.
  BracketCounter brackets;
  const char* end = head.data();
  do {
    brackets.Add(lines.line().text);
    end = lines.line().text.data() + lines.line().text.size();
    lines.Next();
  } while (brackets.is_open() && !lines.is_at_end());
  if (open != std::string_view::npos) {
    const char* const begin = head.data() + open + 1;
    std::string_view list(begin, static_cast<size_t>(end - begin));
    list = list.substr(0, FindOutside(list, ")"));
    for (std::string_view part : SplitOutside(list, ',')) {
      while (!part.empty() && (part.front() == '\n' || IsBlankChar(part.front()))) {
        part.remove_prefix(1);
      }
      if (!part.empty()) function.parameters.push_back(ReadParameter(part));
    }
  }
  for (; !lines.is_at_end() && lines.line().indent > indent; lines.Next()) {
    function.body.push_back(lines.line());
  }
  return function;
}

/// Reads the class whose head is the current line, up to the line behind it.
CodeClass ReadClass(CodeLines& lines) {
  CodeClass read;
  std::string_view head = lines.line().text;
  ConsumeFront(head, "class ");
  read.name = head.substr(0, head.find_first_of("(:"));
  const size_t indent = lines.line().indent;
  lines.Next();
  while (!lines.is_at_end() && lines.line().indent > indent) {
    std::string_view text = lines.line().text;
    if (text.starts_with("def ")) {
      CodeFunction method = ReadFunction(lines);
      const std::string_view name = method.name;
      if (read.methods.try_emplace(llvm::StringRef(name), std::move(method)).second) {
        read.method_names.push_back(name);
      }
      continue;
    }
    // "fc : __torch__.Linear", or for names that Python would not take, a row of a table.
    std::string_view name;
    if (ConsumeFront(text, "__annotations__[\"")) {
      name = text.substr(0, text.find('"'));
      const size_t equals = text.find("] = ");
      text = equals == std::string_view::npos ? std::string_view() : text.substr(equals + 4);
    } else {
      const size_t colon = text.find(" : ");
      name = text.substr(0, colon);
      text = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 3);
    }
    if (!text.empty())
      read.fields.try_emplace(llvm::StringRef(name), text.substr(0, text.find(" = ")));
    lines.Next();
  }
  return read;
}

/// Whether `text` is one parameter with the type that TorchScript calls so: people write
/// torch.Tensor, and torch.fx puts a blank before the colon.
bool IsPrintedParameter(std::string_view text) {
  const size_t colon = text.find(": ");
  return colon != std::string_view::npos && colon > 0 &&
         std::all_of(text.begin(), text.begin() + static_cast<ptrdiff_t>(colon), IsWordChar) &&
         SplitOutside(text, ',').size() == 1 && !HasText(text, "torch.Tensor");
}

/// Whether the function whose "def" is the current line was printed by TorchScript: one parameter a
/// line, further ones four blanks to the right, the type of the result, a body two blanks to the
/// right. It is a method, or has to do with tensors.
bool IsPrintedFunction(CodeLines& lines) {
  std::string_view part = lines.line().text;
  part.remove_prefix(std::min(part.find('('), part.size() - 1) + 1);
  const bool is_method = part.starts_with("self,") || part.starts_with("self)");
  bool has_tensor = HasText(part, "Tensor");
  bool is_first = true;
  size_t close = FindOutside(part, ")");
  for (; close == std::string_view::npos; close = FindOutside(part, ")")) {
    if (!part.ends_with(',')) return false;
    part.remove_suffix(1);
    if (!(is_first && is_method) && !IsPrintedParameter(part)) return false;
    lines.Next();
    if (lines.is_at_end()) return is_method && !is_first;
    if (lines.line().indent != 4) return false;
    part = lines.line().text;
    has_tensor |= HasText(part, "Tensor");
    is_first = false;
  }
  const bool has_no_type = is_first && (is_method || close == 0);
  if (!has_no_type && !IsPrintedParameter(part.substr(0, close))) return false;
  const std::string_view result = part.substr(close);
  if (!result.starts_with(") -> ") || !result.ends_with(":") || HasText(result, "torch.Tensor")) {
    return false;
  }
  lines.Next();
  return (is_method || has_tensor) && (lines.is_at_end() || lines.line().indent == 2);
}

}  // namespace

CodeFile ReadCodeFile(std::string_view text) {
  CodeFile file;
  CodeLines lines(text);
  while (!lines.is_at_end()) {
    if (lines.line().text.starts_with("class ")) {
      CodeClass read = ReadClass(lines);
      const std::string_view name = read.name;
      if (file.classes.try_emplace(llvm::StringRef(name), std::move(read)).second) {
        file.class_names.push_back(name);
      }
    } else if (lines.line().text.starts_with("def ")) {
      CodeFunction function = ReadFunction(lines);
      const std::string_view name = function.name;
      if (file.functions.try_emplace(llvm::StringRef(name), std::move(function)).second) {
        file.function_names.push_back(name);
      }
    } else {
      lines.Next();
    }
  }
  return file;
}

bool LooksLikeCode(std::string_view text) {
  CodeLines lines(text.substr(0, kGraphSniffBytes));
  while (!lines.is_at_end() && lines.line().text.starts_with("op_version_set")) lines.Next();
  if (lines.is_at_end() || lines.line().indent != 0) return false;
  const std::string_view head = lines.line().text;
  if (head.starts_with("def ")) return IsPrintedFunction(lines);
  lines.Next();
  return head.starts_with("class ") && head.ends_with("(Module):") &&
         lines.line().text.starts_with("__parameters__ = [");
}

}  // namespace shapewise
