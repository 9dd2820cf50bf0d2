#include "source/flow.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "source/call_names.h"
#include "source/fact_trees.h"
#include "source/flow_engine.h"
#include "source/outside.h"
#include "source/tensor_uses.h"
#include "source/word_list.h"
#include "support/in_parallel.h"
#include "support/literal_set.h"
#include "support/text_scan.h"
#include "syntax/python_walk.h"

namespace shapewise {
namespace {

// Bytes of the files of roots per analysis: more need more memory for trees, fewer follow what
// their models have in common more often.
constexpr size_t kBytesTogether = 1'500'000;

constexpr std::string_view kCompileMethod = ".compile(";

// Whether the text may call torch.compile.
bool MentionsCompile(std::string_view text) {
  static const LiteralSet words({"compile"});
  return words.Find(text) != LiteralSet::kNotFound;
}

// Code outside of regions is analyzed only if it contains one of these.
const LiteralSet& SetupWords() {
  static const LiteralSet words({kCompileName, "DataLoader", "mark_dynamic", "mark_unbacked",
                                 "mark_static", "cudnn.benchmark", kCompileMethod, "_dynamo.config",
                                 "DataCollator"});
  return words;
}

bool MentionsSetup(std::string_view text) {
  size_t at = SetupWords().Find(text);
  while (at != LiteralSet::kNotFound) {
    // Regular expressions are compiled as well.
    const bool is_expression =
        text.substr(at).starts_with(kCompileMethod) && at >= 2 && text.substr(at - 2, 2) == "re";
    if (!is_expression) return true;
    at = SetupWords().Find(text, at + 1);
  }
  return false;
}

/// What the code of a file outside of regions does.
struct Outside {
  std::vector<CompiledRoot> compiled;
  FlowResult result;  ///< without reached functions
};

/// Makes facts independent of their analysis, whose names and trees can then be freed.
void KeepFacts(Project& project, FlowResult& result) {
  for (Fact& fact : result.facts) {
    fact.name = project.Intern(fact.name);
    for (std::string_view& keyword : fact.keywords) keyword = project.Intern(keyword);
  }
  result.texts.clear();
  DetachFacts(project, result.facts);
}

/// Runs the code of a file outside of regions.
Outside RunOutside(Project& project, FileId id, FactFilter wanted) {
  Outside outside;
  const SourceFile& file = project.files()[id];
  if (!MentionsSetup(file.text)) return outside;
  FlowEngine engine(project, wanted);
  engine.FollowOutside(id, kNoId);
  for (size_t i = 0; i < file.outline.functions.size(); ++i) {
    const OutlinedFunction& outlined = file.outline.functions[i];
    const FileSpan span = outlined.span;
    if (!MentionsSetup(span.Of(file.text))) continue;
    const FunctionId function = file.first_function + static_cast<FunctionId>(i);
    if (outlined.has_decorators) engine.FollowDecorators(function);
    engine.FollowOutside(id, function);
  }
  if (MentionsCompile(file.text)) outside.compiled = engine.compiled();
  engine.ForgetCalls();
  std::vector<FlowResult> results;
  results.push_back(engine.Take());
  outside.result = MergeResults(std::move(results));
  for (Fact& fact : outside.result.facts) {
    fact.in_loop |= engine.called_in_loops().contains(fact.function);
  }
  // Other functions that such code calls run outside of regions.
  llvm::erase_if(outside.result.facts, [](const Fact& fact) {
    const bool is_switch =
        fact.kind == FactKind::kStoreAttribute && fact.subject.kind == ValueKind::kOutside;
    const bool is_setup = fact.kind == FactKind::kCall &&
                          (MentionsSetup(fact.name) || MentionsSetup(std::string(fact.name) + "("));
    return !is_switch && !is_setup;
  });
  outside.result.reached.clear();
  KeepFacts(project, outside.result);
  return outside;
}

/// Finds everything that the checked files compile or intend to be compiled, by file and place:
/// arguments of torch.compile, and every module.
class RootFinder {
 public:
  explicit RootFinder(Project& project) : project_(project) {}

  /// `outside`: by file. `left_out` gets the forwards of other modules of scripts.
  std::vector<CompiledRoot> Find(llvm::ArrayRef<Outside> outside,
                                 std::vector<FunctionId>& left_out) {
    for (FileId id = 0; id < project_.files().size(); ++id) {
      if (!project_.files()[id].is_checked) continue;
      LookAtFile(id);
      LookAtCalls(id, outside[id].compiled);
    }
    for (const CompiledRoot& root : forwards_) {
      if (scripts_.contains(project_.class_of(root.of).file)) {
        left_out.push_back(root.function);
      } else {
        roots_.try_emplace(KeyOf(root), root);
      }
    }
    std::vector<CompiledRoot> roots;
    for (const auto& [key, root] : roots_) roots.push_back(root);
    return roots;
  }

 private:
  void LookAtFile(FileId id) {
    const SourceFile& file = project_.files()[id];
    for (size_t i = 0; i < file.outline.classes.size(); ++i) {
      const ClassId of = file.first_class + static_cast<ClassId>(i);
      if (!project_.IsModule(of)) continue;
      const FunctionId forward = project_.FindMethod(of, "forward");
      if (forward == kNoId) continue;
      forwards_.push_back({.function = forward, .of = of});
      // A __call__ of its own mostly ends in forward.
      const FunctionId call = project_.FindMethod(of, "__call__");
      if (call != kNoId) forwards_.push_back({.function = call, .of = of});
    }
    if (!MentionsCompile(file.text)) return;
    for (size_t i = 0; i < file.outline.functions.size(); ++i) {
      const OutlinedFunction& function = file.outline.functions[i];
      const FunctionId number = file.first_function + static_cast<FunctionId>(i);
      if (function.has_decorators) LookAtDecorators(id, number, function);
    }
  }

  void LookAtDecorators(FileId file, FunctionId number, const OutlinedFunction& outlined) {
    const std::string_view text = project_.files()[file].text;
    const FileSpan span = outlined.span;
    if (!MentionsCompile(span.Of(text))) return;
    const Stmt* tree = project_.Tree(number);
    if (tree == nullptr) return;
    for (const Expr* decorator : tree->decorators) {
      const CompileWay way = ReadDecorator(project_, file, *decorator);
      if (!way.compiles) continue;
      Add({.function = number,
           .of = project_.function(number).in_class,
           .is_compiled = true,
           .is_whole = way.is_whole});
    }
  }

  void LookAtCalls(FileId id, llvm::ArrayRef<CompiledRoot> calls) {
    for (const CompiledRoot& call : calls) {
      Add(call);
      // A library that compiles a model on demand says nothing about its other modules.
      if (call.is_in_script && call.of != kNoId && project_.IsModule(call.of)) scripts_.insert(id);
    }
  }

  void Add(const CompiledRoot& root) {
    const auto [known, is_new] = roots_.try_emplace(KeyOf(root), root);
    if (!is_new) known->second.is_whole &= root.is_whole;
  }

  using Key = std::tuple<FunctionId, ClassId, FileId, bool>;
  static Key KeyOf(const CompiledRoot& root) {
    return {root.function, root.of, root.file, root.is_around};
  }

  Project& project_;
  std::map<Key, CompiledRoot> roots_;
  std::vector<CompiledRoot> forwards_;
  /// Files whose own statements compile a module: their other modules are no roots.
  std::set<FileId> scripts_;
};

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
      is_listed = llvm::any_of(stmt->value->items,
                               [&](const Expr* item) { return PlainString(item) == name; });
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
      const Binding binding = project_.ResolveDotted(file, DecoratorName(*decorator));
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

/// Public functions of the checked files that take tensors, by file and place: losses, metrics,
/// solvers, operations on boxes. Not those that are reached anyhow, and not code around models:
/// training loops, scripts, tests, what loads, saves or draws. `left_out` gets those
/// that are left out because of what their code mentions.
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
      const std::string_view text = span.Of(file.text);
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

/// Follows roots, some files at a time.
class RootFollower {
 public:
  RootFollower(Project& project, FactFilter wanted, FactTest is_needed, unsigned jobs)
      : project_(project), wanted_(wanted), is_needed_(is_needed), jobs_(jobs) {}

  /// `are_compiled`: the roots are compiled on purpose.
  FlowResult Follow(llvm::ArrayRef<CompiledRoot> roots, bool are_compiled) {
    // The roots of a file are judged by themselves. An analysis takes some files, so that what
    // their models have in common is followed once; always the same ones, however many threads
    // there are.
    std::map<FileId, std::vector<CompiledRoot>> by_file;
    for (const CompiledRoot& root : roots) {
      const FileId file = root.of != kNoId         ? project_.class_of(root.of).file
                          : root.function != kNoId ? project_.function(root.function).file
                                                   : root.file;
      by_file[file].push_back(root);
    }
    const std::vector<FileRoots> work(by_file.begin(), by_file.end());
    const std::vector<llvm::ArrayRef<FileRoots>> groups = GroupsOf(work);
    std::vector<FlowResult> results(groups.size());
    // Finding the roots needs most classes, and an analysis only a few trees.
    project_.FreeTrees();
    const size_t num_together = std::max(jobs_, 1U);
    for (size_t begin = 0; begin < results.size(); begin += num_together) {
      const size_t num = std::min(num_together, results.size() - begin);
      InParallel(num, jobs_, [&](size_t i) {
        results[begin + i] = FollowFiles(groups[begin + i], are_compiled);
      });
      project_.FreeTrees();
    }
    return MergeResults(std::move(results));
  }

 private:
  using FileRoots = std::pair<FileId, std::vector<CompiledRoot>>;

  std::vector<llvm::ArrayRef<FileRoots>> GroupsOf(llvm::ArrayRef<FileRoots> work) const {
    std::vector<llvm::ArrayRef<FileRoots>> groups;
    size_t begin = 0;
    size_t num_bytes = 0;
    for (size_t i = 0; i < work.size(); ++i) {
      num_bytes += project_.files()[work[i].first].text.size();
      if (num_bytes < kBytesTogether && i + 1 < work.size()) continue;
      groups.push_back(work.slice(begin, i + 1 - begin));
      begin = i + 1;
      num_bytes = 0;
    }
    return groups;
  }

  FlowResult Facts(llvm::ArrayRef<FileRoots> files) {
    FlowEngine engine(project_, wanted_);
    for (const auto& [file, roots] : files) {
      engine.BeginGroup();
      // Callees usually come before their callers. A module that another one calls is analyzed with
      // the arguments it receives there.
      for (const CompiledRoot& root : llvm::reverse(roots)) {
        if (root.is_around) continue;
        if (root.is_compiled || !engine.IsFollowed(root)) engine.FollowRoot(root);
      }
      // Last, because what they call outside of a region does not count as followed.
      for (const CompiledRoot& root : roots) {
        if (root.is_around) engine.FollowRoot(root);
      }
    }
    return engine.Take();
  }

  FlowResult FollowFiles(llvm::ArrayRef<FileRoots> files, bool are_compiled) {
    std::vector<FlowResult> one;
    one.push_back(Facts(files));
    for (const Fact& fact : one.front().facts) {
      const bool is_root = are_compiled && fact.caller == kNoId;
      if (fact.function != kNoId && (is_root || fact.runs_modules)) {
        one.front().compiled.push_back(fact.function);
      }
    }
    // A function called with several kinds of arguments has each fact as often.
    FlowResult result = MergeResults(std::move(one));
    llvm::erase_if(result.facts, [&](const Fact& fact) { return !is_needed_(fact); });
    result.facts.shrink_to_fit();
    KeepFacts(project_, result);
    return result;
  }

  Project& project_;
  FactFilter wanted_;
  FactTest is_needed_;
  unsigned jobs_;
};

}  // namespace

FlowResult Follow(Project& project, FactFilter wanted, unsigned jobs, EntryFilter is_entry,
                  FactTest is_needed) {
  // What does the surrounding code compile, and what does it do that affects it?
  std::vector<Outside> outside(project.files().size());
  InParallel(outside.size(), jobs, [&](size_t id) {
    const auto file = static_cast<FileId>(id);
    if (project.files()[file].is_checked) outside[id] = RunOutside(project, file, wanted);
  });
  std::vector<FunctionId> left_out;
  std::vector<CompiledRoot> roots = RootFinder(project).Find(outside, left_out);
  for (FunctionId id = 0; id < project.num_functions(); ++id) {
    const SourceFunction& function = project.function(id);
    if (!project.files()[function.file].is_checked || !is_entry(id)) continue;
    roots.push_back({.function = id, .of = function.in_class, .is_compiled = true});
  }
  RootFollower follower(project, wanted, is_needed, jobs);
  FlowResult result = follower.Follow(roots, /*are_compiled=*/true);
  const auto is_reached = [&](FunctionId id) {
    return std::binary_search(result.reached.begin(), result.reached.end(), id);
  };
  FlowResult more =
      follower.Follow(FindTensorFunctions(project, is_reached, left_out), /*are_compiled=*/false);
  // Functions that modules call are judged with the arguments they receive there.
  llvm::erase_if(more.facts, [&](const Fact& fact) { return is_reached(fact.function); });
  llvm::erase_if(more.compiled, is_reached);
  for (Fact& fact : more.facts) fact.conditions |= static_cast<uint16_t>(RunCondition::kUncalled);
  for (const Outside& one : outside) llvm::append_range(more.given_up, one.result.given_up);
  std::vector<FlowResult> both;
  both.push_back(std::move(result));
  both.push_back(std::move(more));
  result = MergeResults(std::move(both));
  for (const Outside& one : outside) llvm::append_range(result.outside, one.result.facts);
  llvm::sort(left_out);
  left_out.erase(std::unique(left_out.begin(), left_out.end()), left_out.end());
  std::ranges::set_difference(left_out, result.reached, std::back_inserter(result.left_out));
  return result;
}

}  // namespace shapewise
