// One analysis: functions that were followed with the values that they got, and what became of it.

#ifndef SHAPEWISE_SOURCE_FLOW_ENGINE_H_
#define SHAPEWISE_SOURCE_FLOW_ENGINE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "shapewise/source/fact.h"
#include "shapewise/source/flow.h"
#include "shapewise/source/project.h"
#include "source/compiling_answers.h"
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

/// What objects of a class hold, and what the constructor has run to find out.
struct AttributeTable {
  /// A method that the constructor called with certain values.
  struct Run {
    std::vector<Value> values;
    Value result = {};
    uint32_t num_changes = 0;  ///< of the table, when the run began
    bool is_done = false;
  };

  llvm::DenseMap<llvm::StringRef, Value> values;
  llvm::DenseMap<FunctionId, std::vector<Run>> runs;
  uint32_t num_changes = 0;  ///< how often an attribute took another value

  const Value* Find(std::string_view name) const {
    const auto found = values.find(llvm::StringRef(name.data(), name.size()));
    return found == values.end() ? nullptr : &found->second;
  }
  void Set(std::string_view name, const Value& value) {
    const auto [entry, is_new] =
        values.try_emplace(llvm::StringRef(name.data(), name.size()), value);
    if (is_new || !(entry->second == value)) ++num_changes;
    entry->second = value;
  }
};

/// What a call of a function of the project needs to be followed.
struct FollowedCall {
  const Stmt* function = nullptr;  ///< a def; null: a lambda
  const Expr* lambda = nullptr;
  FunctionId id = kNoId;  ///< of the outlined function whose text it stands in
  FileId file = kNoId;
  bool is_local = false;  ///< a def or lambda inside of `id`
  uint32_t scope = 0;     ///< of a local one: what it sees, a number of the engine
  bool has_self = false;
  Value self;
  llvm::ArrayRef<PassedValue> arguments;
  /// Of a constructor: where it puts what the object holds; null: the call is followed like any
  /// other.
  AttributeTable* attributes = nullptr;
};

/// A function that calls another one.
struct CallEdge {
  uint32_t to = 0;          ///< a context
  uint16_t conditions = 0;  ///< RunCondition that hold at the call, seen from the caller's begin
};

/// A function, followed with certain values.
struct FlowContext {
  FunctionId function = kNoId;
  FileId file = kNoId;
  ClassId of = kNoId;  ///< the class of its self
  bool is_local = false;
  bool is_done = false;
  /// It calls something that was not followed to its end, because that is being followed already or
  /// is too deep or called too often. What it gives then rests on who called it.
  bool is_cut = false;
  uint32_t seen_in = 0;    ///< the group of roots that it was reached from last
  uint64_t num_steps = 0;  ///< what following it took, without what it calls
  Value result;
  std::vector<Fact> facts;  ///< conditions seen from the function's begin
  std::vector<CallEdge> calls;
};

/// What torch.compile was called with.
struct CompiledCall {
  FunctionId function = kNoId;  ///< the function, or the forward of the object
  ClassId of = kNoId;           ///< the class of the object; kNoId: a plain function
};

/// Follows roots one after the other. Not thread-safe; what it found does not depend on their
/// order.
class FlowEngine {
 public:
  FlowEngine(Project& project, FactFilter wanted)
      : project_(project), wanted_(wanted), compiling_answers_(project), tensor_uses_(project) {}

  /// The roots that follow are judged by themselves: of what was followed for the ones before only
  /// that is used again which is the same for them.
  void BeginGroup();
  void FollowRoot(const CompiledRoot& root);
  /// Whether something in this group of roots calls the function on an object of this class.
  bool IsFollowed(const CompiledRoot& root) const;
  /// Runs the statements of a file, or a function that stands outside of regions, as they are.
  void FollowOutside(FileId file, FunctionId function);

  /// All facts, with the conditions of every way that leads to them, and what was reached; not
  /// merged. The engine is of no further use.
  FlowResult Take();

  /// What torch.compile was called with in all that was run.
  const std::vector<CompiledCall>& compiled() const { return compiled_; }
  /// Leaves only what the code that was run itself does, not what it calls.
  void ForgetCalls();

  // For the flow of one function:

  void NoteCompiled(const Value& value);

  /// Names live as long as the engine, so that each is asked for once.
  bool Wants(FactKind kind, std::string_view name) {
    const auto [entry, is_new] =
        is_wanted_.try_emplace({name.data(), name.size() << 8 | static_cast<size_t>(kind)});
    if (is_new) entry->second = wanted_(kind, name);
    return entry->second;
  }
  Project& project() { return project_; }
  ValueStore& values() { return values_; }
  CompilingAnswers& compiling_answers() { return compiling_answers_; }
  TensorUses& tensor_uses() { return tensor_uses_; }

  /// What the call gives; `from` calls it under `conditions`. Unknown where it cannot be followed.
  Value Follow(uint32_t from, const FollowedCall& call, uint16_t conditions);

  /// What `self.name` holds for objects of the class, by its __init__ and its body; null: not
  /// known.
  const Value* Attribute(ClassId id, std::string_view name);

  /// Whether an attribute of the class's objects is a tensor.
  bool HoldsTensors(ClassId id);

  /// What a name assigned at the top level of a file holds.
  Value ModuleValue(FileId file, const Expr& expr);
  /// Where what the name at this place of a tree is at the top level of `file` is kept; absent: it
  /// was not asked for yet.
  std::optional<Value>& NameValue(FileId file, std::string_view name) {
    return name_values_[{file, name.data()}];
  }

  /// Where scopes of this analysis keep their names.
  ScopeMemory& scope_memory() { return scope_memory_; }
  uint32_t KeepScope(const Scope& scope);
  const Scope& scope(uint32_t number) const { return *scopes_[number]; }

  FlowContext& context(uint32_t number) { return contexts_[number]; }
  /// A context that nothing leads to, for code whose facts are of no interest.
  uint32_t NewContext(FunctionId function, FileId file);

  /// What the annotation stands for; unknown where it says nothing.
  Value ValueOfAnnotation(FileId file, const Expr& annotation);

  /// Notes that code of the context was not followed to its end, and why.
  void GiveUp(uint32_t context, GivenUp::Why why);

 private:
  friend class FlowStep;

  /// Steps of something that has a share of its own: a file's roots, a class, a constant.
  struct Share {
    FileId file = kNoId;
    FunctionId function = kNoId;  ///< what is followed; kNoId: the file's own statements
    uint64_t num_steps = 0;
    bool is_used_up = false;
  };
  /// Gives what runs until the answer is destroyed a share of its own.
  class NewShare;

  /// Takes a step of the context; false: its share is used up, or the stack is. EndStep() follows
  /// in either case.
  bool BeginStep(uint32_t context);
  void EndStep() { --nesting_; }

  Value FollowConstructor(const FollowedCall& call, std::vector<Value> values);
  Value ReadAnnotation(FileId file, const Expr& annotation);
  /// A function as it may be called: its text, where that stands, its scope.
  using CallKey = std::pair<const void*, std::pair<FunctionId, uint32_t>>;
  /// What it was followed with: the arguments and self.
  struct Followed {
    std::vector<Value> values;
    uint32_t context = 0;
  };

  AttributeTable& TableOf(ClassId id);
  /// Takes what an earlier group reached through the context to be reached by this one, too.
  void NoteSeen(uint32_t number);
  /// The contexts that run, but for the outermost `num_whole`, rest on being called from there.
  void NoteCut(size_t num_whole);
  /// What an argument that nobody is seen to give is taken for. `function`: what it is used for
  /// there counts, too; null: it does not.
  Value RootArgument(FileId file, const Parameter& parameter, const Stmt* function);
  std::vector<Value> BindParameters(const FollowedCall& call);
  Value DefaultValue(FileId file, const Expr* expr);
  uint16_t EntryConditions(FunctionId function);
  Value RunContext(uint32_t number, const FollowedCall& call, llvm::ArrayRef<Value> values);

  Project& project_;
  FactFilter wanted_;
  CompilingAnswers compiling_answers_;
  TensorUses tensor_uses_;
  ValueStore values_;
  ScopeMemory scope_memory_;
  std::deque<FlowContext> contexts_;
  llvm::DenseMap<CallKey, std::vector<Followed>> followed_;
  std::vector<std::unique_ptr<Scope>> scopes_;
  llvm::DenseMap<ClassId, std::unique_ptr<AttributeTable>> attributes_;
  /// Equal texts share one tree, and mean different things in different files.
  llvm::DenseMap<std::pair<FileId, const Expr*>, Value> module_values_;
  llvm::DenseMap<std::pair<FileId, const char*>, std::optional<Value>> name_values_;
  llvm::DenseMap<std::pair<const char*, size_t>, bool> is_wanted_;
  llvm::DenseMap<ClassId, bool> is_replaced_;  ///< classes whose code a decorator may replace
  llvm::DenseSet<std::pair<FunctionId, ClassId>> is_followed_;
  std::vector<CompiledCall> compiled_;
  std::vector<uint32_t> roots_;    ///< contexts that begin a region
  std::vector<uint32_t> running_;  ///< contexts, the outermost first
  llvm::DenseMap<std::pair<FileId, const Expr*>, Value> annotations_;
  std::set<GivenUp> given_up_;
  uint32_t group_ = 0;
  uint32_t depth_ = 0;    ///< of calls
  uint32_t nesting_ = 0;  ///< of steps
  Share share_;
};

/// One statement, expression, test or call on its way through the engine: counts it, and says
/// whether there is time and stack for it.
class FlowStep {
 public:
  FlowStep(FlowEngine& engine, uint32_t context)
      : engine_(engine), is_allowed_(engine.BeginStep(context)) {}
  FlowStep(const FlowStep&) = delete;
  FlowStep& operator=(const FlowStep&) = delete;
  ~FlowStep() { engine_.EndStep(); }

  bool is_allowed() const { return is_allowed_; }

 private:
  FlowEngine& engine_;
  bool is_allowed_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_FLOW_ENGINE_H_
