#include "ingest/formats/torchscript/code_library.h"

#include <algorithm>

#include "ingest/graph_format.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// "fc : __torch__.Linear", or a row of a table for names that are invalid in Python.
void AddField(const CodeFile& file, const pyast::Stmt& statement, CodeClass& type) {
  if (const auto* field = llvm::dyn_cast<pyast::AnnAssign>(&statement)) {
    type.fields.try_emplace(llvm::StringRef(file.TextOf(*field->target)),
                            file.TextOf(*field->annotation));
    return;
  }
  const auto* const row = llvm::dyn_cast<pyast::Assign>(&statement);
  if (row == nullptr) return;
  const auto* const key = llvm::dyn_cast<pyast::Subscript>(row->targets[0]);
  if (key == nullptr || file.TextOf(*key->value) != "__annotations__") return;
  if (const auto* name = llvm::dyn_cast<pyast::Constant>(key->slice)) {
    type.fields.try_emplace(llvm::StringRef(name->value), file.TextOf(*row->value));
  }
}

CodeClass ReadClass(const CodeFile& file, const pyast::ClassDef& definition) {
  CodeClass type;
  type.name = definition.name;
  for (const pyast::Stmt* statement : definition.body) {
    const auto* const method = llvm::dyn_cast<pyast::FunctionDef>(statement);
    if (method == nullptr) {
      AddField(file, *statement, type);
    } else if (type.methods.try_emplace(llvm::StringRef(method->name), CodeFunction{&file, method})
                   .second) {
      type.method_names.push_back(method->name);
    }
  }
  return type;
}

/// Whether TorchScript printed the function at the front of `text`: one parameter per line, further
/// ones indented by four blanks, the result type, a body indented by two blanks. It is a method, or
/// uses tensors; people write torch.Tensor, and torch.fx puts a blank before the colon.
bool IsPrintedFunction(std::string_view text) {
  constexpr std::string_view kNextParameter = "\n    ";
  llvm::BumpPtrAllocator arena;
  pyast::Parser parser(arena);
  size_t end = 0;
  const auto* const head = llvm::dyn_cast_or_null<pyast::FunctionDef>(parser.ParseFirst(text, end));
  if (head == nullptr) {
    // It may be truncated after a parameter.
    const size_t first = text.find("(self,\n    ");
    return first < text.find('\n') && !HasText(text, "torch.Tensor") && !HasText(text, ")");
  }
  const std::string_view printed = text.substr(0, end);
  const bool is_method = !head->args->args.empty() && head->args->args[0]->arg == "self" &&
                         head->args->args[0]->annotation == nullptr;
  if (head->returns == nullptr || HasText(printed, "torch.Tensor")) return false;
  for (const pyast::Arg* parameter : head->args->args) {
    const bool is_first = parameter == head->args->args[0];
    const std::string_view before = printed.substr(0, parameter->span.begin);
    if (!is_first && !before.ends_with(kNextParameter)) return false;
    if (is_first && !before.ends_with('(')) return false;
    if (is_first && is_method) continue;
    const std::string_view behind = printed.substr(parameter->span.begin + parameter->arg.size());
    if (!behind.starts_with(": ")) return false;
  }
  const std::string_view body = text.substr(end);
  return (is_method || HasText(printed, "Tensor")) &&
         (Trim(body).empty() || (body.starts_with("\n  ") && !body.starts_with("\n   ")));
}

}  // namespace

CodeFile::CodeFile(std::string_view code) : text(code), lines(code) {
  pyast::Parser parser(arena);
  for (const pyast::Stmt* statement : parser.ParseModule(text)->body) {
    if (const auto* type = llvm::dyn_cast<pyast::ClassDef>(statement)) {
      if (classes.try_emplace(llvm::StringRef(type->name), ReadClass(*this, *type)).second) {
        class_names.push_back(type->name);
      }
    } else if (const auto* function = llvm::dyn_cast<pyast::FunctionDef>(statement)) {
      const CodeFunction read{this, function};
      if (functions.try_emplace(llvm::StringRef(function->name), read).second) {
        function_names.push_back(function->name);
      }
    }
  }
}

void CodeLibrary::Add(const std::string& module, std::string_view text) {
  const CodeFile& file = files_.emplace_back(text);
  for (const auto& entry : file.classes) {
    classes_[module + "." + entry.first().str()] = &entry.second;
  }
  for (const auto& entry : file.functions) {
    functions_[module + "." + entry.first().str()] = &entry.second;
  }
}

bool LooksLikeCode(std::string_view text) {
  text = text.substr(0, kGraphSniffBytes);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (!Trim(line).empty() && !line.starts_with("op_version_set")) break;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  if (text.starts_with("def ")) return IsPrintedFunction(text);
  const std::string_view head = TrimRight(text.substr(0, text.find('\n')));
  const std::string_view next = TrimLeft(text.substr(head.size()));
  return head.starts_with("class ") && head.ends_with("(Module):") &&
         next.starts_with("__parameters__ = [");
}

}  // namespace shapewise
