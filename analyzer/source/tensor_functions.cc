#include "source/tensor_functions.h"

#include <string>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "source/call_names.h"
#include "source/outside.h"
#include "source/tensor_uses.h"
#include "source/word_list.h"
#include "support/literal_set.h"
#include "syntax/python_walk.h"

namespace shapewise {
namespace {

/// Texts that code around models has, and what runs in it has not.
constexpr std::string_view kOutsideWords[] = {
    ".backward(",    "optimizer",  ".zero_grad",  "DataLoader",      "dataloader",
    "argparse",      "open(",      "torch.save",  "torch.load",      "state_dict",
    "plt.",          "tqdm",       ".eval()",     "from_pretrained", "Image.",
    "cv2.",          "json.",      "onnx.export", "subprocess",      "os.path",
    "torch.compile", "init.",      "no_grad(",    "inference_mode(", "register_forward",
    "tokenizer",     "Parameter(", ".numpy()"};
constexpr std::string_view kTorchWords[] = {"torch", "Tensor", "F."};

/// Whether one of `words` occurs in `text`, and not as the end of a longer word.
bool HasAny(llvm::ArrayRef<std::string_view> words, std::string_view text) {
  return llvm::any_of(words, [&](std::string_view word) {
    size_t at = text.find(word);
    while (at != text.npos && at > 0 && llvm::isAlnum(word.front()) &&
           llvm::isAlnum(text[at - 1])) {
      at = text.find(word, at + 1);
    }
    return at != text.npos;
  });
}

/// Files of tests, scripts and examples.
bool IsBeside(std::string_view path) {
  llvm::SmallVector<llvm::StringRef, 8> parts;
  llvm::StringRef(path).split(parts, '/');
  const std::string_view name(parts.back());
  if (name.starts_with("test_") || name.ends_with("_test.py") || name == "conftest.py" ||
      name == "setup.py" || name == "train.py") {
    return true;
  }
  parts.pop_back();
  return llvm::any_of(parts, [](llvm::StringRef part) {
    return HasWord<"test tests testing benchmark benchmarks example examples scripts tools">(part);
  });
}

/// Whether some statement of `body` returns a value.
bool GivesSomething(llvm::ArrayRef<const Stmt*> body) {
  return llvm::any_of(body, [](const Stmt* stmt) {
    if (stmt->kind == StmtKind::kReturn) return stmt->value != nullptr;
    if (stmt->kind == StmtKind::kFunction || stmt->kind == StmtKind::kClass) return false;
    bool gives = false;
    ForEachBlock(*stmt, [&](llvm::ArrayRef<const Stmt*> block) { gives |= GivesSomething(block); });
    return gives;
  });
}

class FunctionFinder {
 public:
  explicit FunctionFinder(Project& project) : project_(project), uses_(project) {}

  /// Whether other files may import the name: it is in `__all__`, or the file has no `__all__`.
  bool IsPublic(FileId file, std::string_view name) {
    if (project_.files()[file].text.find("__all__") == std::string_view::npos) return true;
    bool is_listed = true;
    for (const Stmt* stmt : project_.ModuleTree(file)) {
      if (stmt->kind != StmtKind::kAssign || stmt->targets.front()->text != "__all__") continue;
      is_listed = llvm::any_of(stmt->value->items, [&](const Expr* item) {
        const std::string_view text = item->text;
        return item->kind == PythonExprKind::kString && text.size() == name.size() + 2 &&
               text.substr(1, name.size()) == name;
      });
    }
    return is_listed;
  }

  /// Whether others call the method on an object that is no module: a solver, a scheduler, a loss.
  bool IsOpenMethod(FunctionId id) {
    const SourceFunction& function = project_.function(id);
    if (function.name.starts_with('_') && function.name != "__call__") return false;
    const std::string_view name = project_.class_of(function.in_class).name;
    // Estimators of scikit-learn prepare data on the host.
    const bool is_estimator =
        llvm::any_of(project_.OutsideBases(function.in_class),
                     [](std::string_view base) { return base.starts_with("sklearn."); });
    return !is_estimator && !project_.IsModule(function.in_class) &&
           !HasEnding<
               "Dataset Trainer Processor Tokenizer Callback Config Loader Collator Sampler "
               "Logger Writer Reader Test Tests Mixin Runner Evaluator Plotter Function">(name);
  }

  /// Whether the name, as a whole, or texts in the code are those of code around models. The
  /// documentation does not count.
  bool IsAroundModels(FunctionId id, std::string_view text) {
    if (HasWord<
            "init load save convert plot draw show test train export print debug main register">(
            project_.function(id).name)) {
      return true;
    }
    if (!HasAny(kOutsideWords, text)) return false;
    const Stmt* tree = project_.Tree(id);
    if (tree == nullptr || tree->body.empty()) return true;
    const Stmt& first = *tree->body.front();
    const bool is_documented =
        first.kind == StmtKind::kExpression && first.value->kind == PythonExprKind::kString;
    if (!is_documented) return true;
    const std::string_view words = first.value->text;
    const size_t begin = text.find(words);
    return begin == text.npos || HasAny(kOutsideWords, text.substr(0, begin)) ||
           HasAny(kOutsideWords, text.substr(begin + words.size()));
  }

  bool TakesTensors(FunctionId id) {
    const Stmt* tree = project_.Tree(id);
    if (tree == nullptr || tree->is_async || !GivesSomething(tree->body)) return false;
    const FileId file = project_.function(id).file;
    if (tree->returns != nullptr && IsPlain(file, *tree->returns)) return false;
    for (const Expr* decorator : tree->decorators) {
      const Expr* name = decorator->kind == PythonExprKind::kCall ? decorator->left : decorator;
      const Binding binding = project_.ResolveDotted(file, *name);
      if (binding.kind != Binding::Kind::kOutside) continue;
      if (KeepsOut(binding.name) || binding.name.starts_with("torch.jit.script") ||
          binding.name.starts_with("torch.library.") || binding.name.starts_with("pytest.")) {
        return false;
      }
    }
    for (const Parameter& parameter : tree->parameters) {
      if (parameter.annotation != nullptr ? IsTensor(file, *parameter.annotation)
                                          : uses_.IsTensor(file, *tree, parameter.name)) {
        return true;
      }
    }
    return false;
  }

 private:
  /// Whether an annotation is a number, a bool or a text of Python: a function that returns one has
  /// to read its tensors, and is called where this does no harm.
  bool IsPlain(FileId file, const Expr& annotation) {
    if (annotation.kind != PythonExprKind::kName) return false;
    const Binding binding = project_.ResolveDotted(file, annotation);
    return binding.kind == Binding::Kind::kOutside &&
           HasWord<"builtins.bool builtins.float builtins.int builtins.str">(binding.name);
  }

  bool IsTensor(FileId file, const Expr& annotation) {
    if (annotation.kind == PythonExprKind::kBinary) {
      return IsTensor(file, *annotation.left) || IsTensor(file, *annotation.right);
    }
    if (annotation.kind == PythonExprKind::kSubscript) {
      if (annotation.left->text == "Callable") return false;
      return llvm::any_of(annotation.items,
                          [&](const Expr* item) { return IsTensor(file, *item); });
    }
    if (annotation.kind == PythonExprKind::kString) {
      return annotation.text.find("Tensor") != std::string_view::npos;
    }
    if (annotation.kind != PythonExprKind::kName && annotation.kind != PythonExprKind::kAttribute) {
      return false;
    }
    const Binding binding = project_.ResolveDotted(file, annotation);
    return binding.kind == Binding::Kind::kOutside && ValueOfType(binding.name).IsTensor();
  }

  Project& project_;
  TensorUses uses_;
};

}  // namespace

std::vector<CompiledRoot> FindTensorFunctions(Project& project,
                                              llvm::function_ref<bool(FunctionId)> is_reached,
                                              std::vector<FunctionId>& left_out) {
  std::vector<CompiledRoot> roots;
  FunctionFinder finder(project);
  for (const SourceFile& file : project.files()) {
    if (!file.is_checked || IsBeside(file.path) || !HasAny(kTorchWords, file.text)) continue;
    // The program part of a file is at its end, and is not imported.
    static const LiteralSet program_head({"\nif __name__ =="});
    const size_t program = program_head.Find(file.text);
    for (size_t i = 0; i < file.outline.functions.size(); ++i) {
      const FunctionId id = file.first_function + static_cast<FunctionId>(i);
      const SourceFunction& function = project.function(id);
      if (is_reached(id)) continue;
      const bool is_method = function.in_class != kNoId;
      if (is_method ? !finder.IsOpenMethod(id) : function.name.starts_with('_')) continue;
      const FileSpan span = file.outline.functions[i].span;
      if (span.begin > program) continue;
      const std::string_view text = file.text.substr(span.begin, span.end - span.begin);
      if (!HasAny(kTorchWords, text)) continue;
      if (!is_method && !finder.IsPublic(function.file, function.name)) continue;
      if (!finder.TakesTensors(id)) continue;
      if (finder.IsAroundModels(id, text)) {
        left_out.push_back(id);
        continue;
      }
      roots.push_back({.function = id, .of = function.in_class, .is_compiled = true});
    }
  }
  return roots;
}

}  // namespace shapewise
