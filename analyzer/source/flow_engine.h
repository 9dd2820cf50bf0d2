// One analysis: the functions that were followed, with their arguments and results.

#ifndef SHAPEWISE_SOURCE_FLOW_ENGINE_H_
#define SHAPEWISE_SOURCE_FLOW_ENGINE_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "source/compiling_answers.h"
#include "source/constructor_effects.h"
#include "source/fact.h"
#include "source/flow.h"
#include "source/project.h"
#include "source/scope.h"
#include "source/tensor_uses.h"
#include "source/value_store.h"

namespace shapewise {

constexpr uint16_t Bit(RunCondition condition) { return static_cast<uint16_t>(condition); }

/// One argument of a call, evaluated.
struct PassedValue {
  std::string_view keyword;  ///< empty: positional
  Value value;
  uint8_t stars = 0;
};

using PassedValues = llvm::SmallVector<PassedValue, 6>;
/// The values of the parameters of a call.
using BoundValues = llvm::SmallVector<Value, 8>;

/// The attributes of objects of a class, and the constructor runs that determine them.
struct AttributeTable {
  /// A method that the constructor called with certain values.
  struct Run {
    std::vector<Value> values;
    Value result = {};
    uint32_t num_changes = 0;  ///< of the table, when the run started
    bool is_done = false;
  };

  llvm::DenseMap<llvm::StringRef, Value> values;
  llvm::DenseMap<FunctionId, std::vector<Run>> runs;
  uint32_t num_changes = 0;  ///< how often an attribute changed its value
  bool is_final = false;     ///< computed, and independent of what was computed before

  const Value* Find(std::string_view name) const {
    const auto found = values.find(llvm::StringRef(name));
    return found == values.end() ? nullptr : &found->second;
  }
  void Set(std::string_view name, const Value& value) {
    const auto [entry, is_new] = values.try_emplace(llvm::StringRef(name), value);
    if (is_new || !(entry->second == value)) ++num_changes;
    entry->second = value;
  }
};

/// A call of a function of the project that is to be followed.
struct FollowedCall {
  const Stmt* function = nullptr;  ///< a def; null: a lambda
  const Expr* lambda = nullptr;
  FunctionId id = kNoId;  ///< the outlined function that contains its text
  FileId file = kNoId;
  bool is_local = false;  ///< a def or lambda inside of `id`
  uint32_t scope = 0;     ///< scope that a local function sees, a number of the engine
  bool has_self = false;
  Value self = {};
  llvm::ArrayRef<PassedValue> arguments = {};
  /// For a constructor: where the attributes of the object are stored; null: the call is followed
  /// like any other.
  AttributeTable* attributes = nullptr;
  bool in_loop = false;  ///< the call is in the body of a loop
};

/// A call of a def or lambda inside of a function, without arguments.
FollowedCall LocalCall(const Callable& local);

/// A call from one function to another.
struct CallEdge {
  uint32_t to = 0;          ///< a context
  uint16_t conditions = 0;  ///< RunCondition at the call, relative to the start of the caller
  bool has_facts = true;    ///< false: only its value matters
};

/// A function followed with certain arguments.
struct FlowContext {
  FunctionId function = kNoId;
  FileId file = kNoId;
  ClassId of = kNoId;  ///< the class of its self
  bool is_local = false;
  bool is_done = false;
  /// Nothing calls it: it only computes values, and its facts are not needed.
  bool has_no_facts = false;
  /// It runs for its result alone: facts are not recorded, and what only leads to some is not run.
  bool is_for_value = false;
  /// It calls a function that was not followed to its end, because that function is already being
  /// followed, or is too deep or called too often. The result then depends on the caller.
  bool is_cut = false;
  bool runs_modules = false;  ///< it calls a module, or something unknown with a tensor
  uint32_t callee = 0;        ///< a number of the engine; 0: nothing calls it
  uint32_t num_levels = 0;    ///< of calls below it
  uint32_t nesting = 0;       ///< steps around it
  uint32_t deepest = 0;       ///< nesting of its innermost step
  uint64_t num_steps = 0;     ///< cost of following it, without its callees
  Value result;
  std::vector<Fact> facts;  ///< conditions relative to the start of the function
  std::vector<CallEdge> calls;
};

/// Follows roots one after the other. Not thread-safe; the results do not depend on their order.
class FlowEngine {
 public:
  FlowEngine(Project& project, FactFilter wanted)
      : project_(project),
        wanted_(wanted),
        compiling_answers_(project),
        constructor_effects_(project),
        tensor_uses_(project) {}

  /// Starts a group of roots that is analyzed independently: results of earlier groups are reused
  /// only if they are the same for this one.
  void BeginGroup();
  void FollowRoot(const CompiledRoot& root);
  /// Whether this group of roots calls the function on an object of this class.
  bool IsFollowed(const CompiledRoot& root) const;
  /// Runs the statements of a file, or a function outside of regions.
  void FollowOutside(FileId file, FunctionId function);
  /// Evaluates the decorators of a function.
  void FollowDecorators(FunctionId function);
  /// Functions that a loop calls.
  const std::set<FunctionId>& called_in_loops() const { return called_in_loops_; }

  /// Returns all facts, with the conditions of every path to them, and the reached functions; not
  /// merged. The engine must not be used afterwards.
  FlowResult Take();

  /// The callables passed to torch.compile in everything that was run.
  const std::vector<CompiledRoot>& compiled() const { return compiled_; }
  /// Keeps only the effects of the code that was run itself, not those of its callees.
  void ForgetCalls();

  // Interface for the flow of one function:

  /// Code of `context` compiles `value`; `is_whole`: with fullgraph=True.
  void NoteCompiled(uint32_t context, const Value& value, bool is_whole);

  /// Names live as long as the engine, so each is looked up once.
  bool Wants(FactKind kind, std::string_view name) {
    const auto [entry, is_new] =
        is_wanted_.try_emplace({name.data(), name.size() << 8 | static_cast<size_t>(kind)});
    if (is_new) entry->second = wanted_(kind, name);
    return entry->second;
  }
  Project& project() { return project_; }
  ValueStore& values() { return values_; }
  CompilingAnswers& compiling_answers() { return compiling_answers_; }
  ConstructorEffects& constructor_effects() { return constructor_effects_; }
  TensorUses& tensor_uses() { return tensor_uses_; }

  /// The result of the call; `from` calls it under `conditions`. Unknown if it cannot be followed.
  Value Follow(uint32_t from, const FollowedCall& call, uint16_t conditions);
  /// Follows what decorators of the project run around the called function.
  void FollowWrappers(uint32_t from, const FollowedCall& call, uint16_t conditions);

  /// The value of `self.name` for objects of the class, by its __init__ and its body; null: not
  /// known, or `id` is kNoId.
  const Value* Attribute(ClassId id, std::string_view name);

  /// Whether an attribute of the class's objects is a tensor.
  bool HoldsTensors(ClassId id);

  /// The value assigned to a name at the top level of a file.
  Value ModuleValue(FileId file, const Expr& expr);
  /// The cached value of a name (Scope::IdOf) at the top level of `file`; absent: not computed yet.
  std::optional<Value>& NameValue(FileId file, StrId name) {
    return name_values_[{file, static_cast<uint32_t>(name)}];
  }
  /// Whether values that were just computed depend on what was computed before.
  bool IsCut() const { return share_.is_cut; }

  /// Memory for the scopes of this analysis.
  ScopeMemory& scope_memory() { return scope_memory_; }
  /// The number of the scope; equal scopes have the same, so that a local function that is made
  /// again is not followed again.
  uint32_t KeepScope(const Scope& scope);
  const Scope& scope(uint32_t number) const { return *scopes_[number]; }

  FlowContext& context(uint32_t number) { return contexts_[number]; }
  /// A context that nothing calls yet.
  uint32_t NewContext(FunctionId function, FileId file);
  /// A context of code that only computes values.
  uint32_t NewContextWithoutFacts(FunctionId function, FileId file) {
    const uint32_t number = NewContext(function, file);
    contexts_[number].has_no_facts = true;
    contexts_[number].is_for_value = IsForValue();
    return number;
  }

  /// The value that the annotation describes; unknown if it does not describe one.
  Value ValueOfAnnotation(FileId file, const Expr& annotation);

  /// The object of a class of the project that a function with this annotation returns, which is
  /// all there is to know about its value; unknown if it is declared to return something else.
  Value DeclaredObject(FileId file, const Expr& annotation);

  /// Records that code of the context was not followed to its end, and why.
  void GiveUp(const FlowContext& context, GivenUp::Why why);

 private:
  friend class FlowStep;

  /// An entity that is computed independently: a file's roots, a class, a constant.
  struct Share {
    FileId file = kNoId;
    FunctionId function = kNoId;  ///< the followed function; kNoId: the file's own statements
    bool is_of_roots = true;
    bool is_used_up = false;
    /// It depends on what was computed before: the entity is part of a cycle, or nested too deeply.
    bool is_cut = false;
    const AttributeTable* table = nullptr;  ///< of the class
    size_t num_outer = 0;                   ///< of running contexts
    uint64_t num_steps = 0;
    llvm::DenseSet<uint32_t> seen{};                 ///< contexts that it reached
    llvm::DenseMap<uint32_t, uint32_t> num_kinds{};  ///< of arguments, by FlowContext::callee
  };
  /// Names the share of the roots after the first of them.
  void NameShare(FileId file, FunctionId function) {
    if (share_.file != kNoId) return;
    share_.file = file;
    share_.function = function;
  }
  /// Gives everything that runs during the lifetime of the result its own share.
  class NewShare;

  // Steps for following the roots of one file, or for finding the contents of objects of one class
  // or of a constant. Nested loops, and nested calls with ever new arguments, take exponential
  // time.
  static constexpr uint64_t kMaxSteps = 2'000'000;
  // Nested steps. One takes up to 2 KiB of a stack of 8 MiB.
  static constexpr uint32_t kMaxStepNesting = 1500;

  /// Starts a step of the context; false: its share or the stack is used up. Call EndStep() in
  /// either case.
  bool BeginStep(FlowContext& context) {
    deepest_ = std::max(deepest_, ++nesting_);
    if (share_.is_used_up || nesting_ > kMaxStepNesting) return EndSteps(context);
    ++context.num_steps;
    return ++share_.num_steps <= kMaxSteps || EndSteps(context);
  }
  /// Records that no step is left; false.
  bool EndSteps(const FlowContext& context);
  void EndStep() { --nesting_; }

  Value FollowConstructor(const FollowedCall& call, llvm::ArrayRef<Value> values);
  Value ReadAnnotation(FileId file, const Expr& annotation);
  /// A function as it can be called: its text, place and scope.
  using CallKey = std::pair<const void*, std::pair<FunctionId, uint32_t>>;
  /// The arguments and self that it was followed with.
  struct Followed {
    size_t hash = 0;  ///< of `values`
    std::vector<Value> values;
    uint32_t context = 0;
  };
  struct Callee {
    uint32_t number = 0;  ///< from 1
    std::vector<Followed> followed;
  };

  /// A value that is computed once.
  struct KeptValue {
    Value value;
    bool is_final = false;  ///< computed, and independent of what was computed before
  };
  using KeptValues = llvm::DenseMap<std::pair<FileId, const Expr*>, KeptValue>;

  /// The value of `expr` in `kept`; computes it by `compute` if it is not known.
  Value Keep(KeptValues& kept, FileId file, const Expr& expr, llvm::function_ref<Value()> compute);
  AttributeTable& TableOf(ClassId id);
  /// Runs the function of `call` as the begin of a compiled region.
  void RunRoot(const FollowedCall& call, llvm::ArrayRef<Value> given, const CompiledRoot& root);
  /// Runs the code of the context, which is not in a region.
  void RunOutside(uint32_t context);
  /// Code of `context` compiles a lambda or a local function.
  void NoteLocal(uint32_t context, Callable local, bool is_whole);
  /// Whether following the function of a finished context again, from here, ends where it did.
  bool EndsAlike(const FlowContext& context) const {
    if (nesting_ == context.nesting) return true;
    const uint32_t deepest = nesting_ + (context.deepest - context.nesting);
    return std::max(deepest, context.deepest) <= kMaxStepNesting;
  }
  /// Whether what is run now is run for values alone. Code outside of regions is not: it may
  /// compile something wherever it is called.
  bool IsForValue() const { return !share_.is_of_roots && outside_ == kNoContext; }
  /// Whether the share gets the result of the context as if it had followed it itself.
  bool Reuse(uint32_t number, bool is_for_value);
  void NoteFollowed(const FlowContext& context);
  /// Marks the running contexts, except the outermost `num_whole`, as dependent on their caller.
  void NoteCut(size_t num_whole);
  /// Marks everything that is being computed as dependent on what was computed before.
  void NoteOrder();
  /// The assumed value of an argument without a known caller. `function`: its uses of the argument
  /// count, too; null: they do not.
  Value RootArgument(FileId file, const Parameter& parameter, const Stmt* function);
  /// Whether a root has an argument without default that is a tensor.
  bool RequiresTensor(FileId file, const Stmt& function);
  /// What the name of an argument suggests, unless the code of `function` refutes it.
  Value GuessArgument(FileId file, std::string_view name, const Stmt& function);
  /// The local functions that decorators of the project return in place of the function.
  std::vector<Value> WrappersOf(FunctionId function);
  BoundValues BindParameters(const FollowedCall& call);
  Value DefaultValue(FileId file, const Expr* expr);
  uint16_t EntryConditions(FunctionId function);
  Value RunContext(uint32_t number, const FollowedCall& call, llvm::ArrayRef<Value> values);

  Project& project_;
  FactFilter wanted_;
  CompilingAnswers compiling_answers_;
  ConstructorEffects constructor_effects_;
  TensorUses tensor_uses_;
  ValueStore values_;
  ScopeMemory scope_memory_;
  std::deque<FlowContext> contexts_;
  llvm::DenseMap<CallKey, Callee> callees_;
  std::vector<std::unique_ptr<Scope>> scopes_;
  llvm::DenseMap<size_t, uint32_t> scope_numbers_;  ///< by the hash of the scope
  llvm::DenseMap<ClassId, std::unique_ptr<AttributeTable>> attributes_;
  /// Equal texts share one tree, but have different meanings in different files.
  KeptValues module_values_;
  llvm::DenseMap<std::pair<FileId, uint32_t>, std::optional<Value>> name_values_;
  llvm::DenseMap<std::pair<const char*, size_t>, bool> is_wanted_;
  llvm::DenseMap<ClassId, bool> is_replaced_;  ///< classes whose code a decorator may replace
  llvm::DenseSet<std::pair<FunctionId, ClassId>> is_followed_;
  std::vector<CompiledRoot> compiled_;
  /// A context that begins a region.
  struct Root {
    uint32_t context = 0;
    bool is_compiled = false;  ///< CompiledRoot::is_compiled
    bool is_whole = false;     ///< compiled with fullgraph=True
  };
  std::vector<Root> roots_;
  /// The contexts that one of these roots leads to; not through a function that is compiled with
  /// fullgraph=True, if nothing says that the root is compiled.
  std::vector<bool> ReachedWithBreaks() const;
  std::set<FunctionId> whole_functions_;  ///< compiled with fullgraph=True
  static constexpr uint32_t kNoContext = UINT32_MAX;
  uint32_t outside_ = kNoContext;  ///< the context that runs outside of regions
  /// Whether the code outside of regions runs only to follow the local functions that it compiles.
  bool follows_locals_ = false;
  /// Those of the group, with and without fullgraph=True.
  std::set<std::pair<bool, const void*>> followed_locals_;
  std::vector<std::pair<FileId, uint32_t>> lambdas_;
  std::set<FunctionId> called_in_loops_;
  std::vector<uint32_t> running_;  ///< contexts, the outermost first
  KeptValues annotations_;
  std::map<FunctionId, std::vector<Value>> wrappers_;
  std::set<GivenUp> given_up_;
  uint32_t depth_ = 0;    ///< of calls
  uint32_t nesting_ = 0;  ///< of steps
  uint32_t deepest_ = 0;  ///< nesting of the innermost step of the context, without other shares
  Share share_;
};

/// One step (statement, expression, test or call) of the engine: counts it, and reports whether
/// there is time and stack left.
class FlowStep {
 public:
  FlowStep(FlowEngine& engine, FlowContext& context)
      : engine_(engine), is_allowed_(engine.BeginStep(context)) {}
  FlowStep(const FlowStep&) = delete;
  FlowStep& operator=(const FlowStep&) = delete;
  ~FlowStep() { engine_.EndStep(); }

  bool is_allowed() const { return is_allowed_; }

 private:
  FlowEngine& engine_;
  bool is_allowed_;
};

/// Merges facts of the same place; sorts by file, function and place. The order of `results` does
/// not matter.
FlowResult MergeResults(std::vector<FlowResult> results);

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_FLOW_ENGINE_H_
