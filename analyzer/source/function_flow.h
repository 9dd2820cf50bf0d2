// Runs one function over partially known values.

#ifndef SHAPEWISE_SOURCE_FUNCTION_FLOW_H_
#define SHAPEWISE_SOURCE_FUNCTION_FLOW_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "source/flow_engine.h"
#include "source/outside.h"
#include "syntax/python_walk.h"

namespace shapewise {

/// Conditions that hold beyond the question that asked for them; plain ones of Python do not.
inline constexpr auto kReportedConditions = static_cast<uint16_t>(~Bit(RunCondition::kPython));

/// Conditions of the mode that a model is in.
inline constexpr auto kModeConditions =
    static_cast<uint16_t>(Bit(RunCondition::kTraining) | Bit(RunCondition::kEvaluation));

/// Names of a function, and what they hold.
using Names = std::vector<std::pair<std::string_view, Value>>;

/// Whether an optional tensor with this name is not passed in plain inference.
bool IsForTraining(std::string_view name);

/// What is known about a test without running it.
struct TestOutcome {
  std::optional<bool> constant = {};
  uint16_t if_true = 0;   ///< RunCondition if it is true
  uint16_t if_false = 0;  ///< ... and where it is false
  /// Values of names if it is true, and if it is false.
  Names names_if_true = {};
  Names names_if_false = {};
  Value value = {};  ///< of the test itself
};

/// Adds the values of `arguments`, and the names that they were passed by, to `fact`.
void RecordArguments(llvm::ArrayRef<PassedValue> arguments, Fact& fact);

/// Evaluates the statements of one function, and records facts about them in a context.
class FunctionFlow {
 public:
  /// `attributes`: receives stores to attributes of `self`; null: ignored.
  FunctionFlow(FlowEngine& engine, uint32_t context, FileId file, const Value& self,
               AttributeTable* attributes = nullptr);

  void Bind(std::string_view name, const Value& value) { scope_.Set(name, value); }
  /// Makes the names of an enclosing function visible.
  void See(const Scope* outer) { outer_ = outer; }
  /// An unknown name is a tensor if `function`, which is in `file`, uses it as one.
  void Use(const Stmt& function) { function_ = &function; }

  /// The value that the body returns.
  Value RunBody(llvm::ArrayRef<const Stmt*> body);
  Value RunLambda(const Expr& lambda) { return Evaluate(lambda.left); }
  Value Evaluate(const Expr* expr);

 private:
  /// How control leaves a statement.
  enum class Exit : uint8_t { kNext, kReturn, kRaise, kLoop };

  // Statements (function_flow.cc).
  Exit Run(llvm::ArrayRef<const Stmt*> body);
  Exit RunOne(const Stmt& stmt);
  /// Whether `expr`, a statement by itself, changes no name.
  bool HasNoEffect(const Expr& expr) const;
  /// Whether this is a constructor, which wants attributes alone, and `expr` stores none.
  bool OnlyComputes(const Expr& expr);
  /// The same for a statement that assigns to something else than names and attributes of self.
  bool OnlyAssigns(const Stmt& stmt);
  Exit RunIf(const Stmt& stmt);
  /// Which conditions of one way of an `if` hold after it, if the other way leaves like this.
  static uint16_t ConditionsAfter(Exit other_way);
  Exit RunWhile(const Stmt& stmt);
  /// The conditions under which `x if test else ()` has items.
  uint16_t ConditionsOfItems(const Expr& iterable);
  Exit RunFor(const Stmt& stmt);
  Exit RunWith(const Stmt& stmt);
  Exit RunTry(const Stmt& stmt);
  Exit RunMatch(const Stmt& stmt);
  void RunLoopBody(const Stmt& stmt, llvm::function_ref<void()> bind);
  void RunImport(const Stmt& stmt);
  /// Forgets the contents of names that a local function with this body assigns.
  void ForgetSharedNames(llvm::ArrayRef<const Stmt*> body);
  void Assign(const Expr& target, const Value& value);
  /// `value`, or a tensor where it is unknown and the function uses the name as one.
  Value AsUsed(std::string_view name, const Value& value);
  void AssignItems(const Expr& target, const Value& value);
  /// Runs `b, n, heads = *x.shape, self.heads`; false: it has another form.
  bool AssignAround(const Expr& targets, const Expr& items);
  void StoreAttribute(const Expr& target, const Value& value);
  void StoreIndex(const Expr& target, const Value& value);
  /// Records that a loop, or a call that goes through all items, takes those of `value`.
  void RecordItems(const Expr& place, const Value& value, FactUse use);

  // Expressions (expression_flow.cc).
  Value EvaluateName(const Expr& expr);
  Value AttributeOfValue(const Expr& expr, const Value& base);
  Value EvaluateSubscript(const Expr& expr);
  /// Records base[index] of a container whose index is a size, or an argument of the root.
  void RecordChoice(const Expr& expr, const Value& base, llvm::ArrayRef<Value> indices);
  Value EvaluateComprehension(const Expr& expr);
  Value EvaluateFormatted(const Expr& expr);
  /// The tensor, array or module of the enclosing function with the highest certainty that a lambda
  /// created here uses; absent: none. Dynamo cannot turn such a lambda into a Python function.
  std::optional<Value> ObjectSeenBy(const Expr& lambda);
  Value BindingValue(const Binding& binding);
  /// The value of a dotted name of another package.
  Value OutsideValue(std::string_view name);
  /// The class of an object; unknown if it is not in the project.
  Value ClassOf(const Value& object);
  Value ElementOf(const Value& value);
  Value IndexValue(const Expr& index);
  /// A key or an index as facts have it: a tuple of sizes is from sizes, too.
  Value AsKey(const Value& index);

  // Operators (operator_flow.cc).
  Value EvaluateBinary(const Expr& expr);
  /// A comparison and its operands.
  struct Comparison {
    Value result;
    llvm::SmallVector<Value, 3> operands;
  };
  Comparison EvaluateCompare(const Expr& expr);

  // Tests (truth_flow.cc).
  TestOutcome Test(const Expr& expr, FactUse use);
  TestOutcome TestBoolOp(const Expr& expr, FactUse use);
  /// The value of `left and right`, or of `left or right`, that are no tensors.
  Value JoinOperands(const Value& left, const Value& right, bool is_and);
  TestOutcome TestCompare(const Expr& expr);
  /// The outcome of `expr is not None`.
  static TestOutcome TestGiven(const Expr& expr, const Value& value);
  /// Whether the outcome follows from contents of bools and texts, or is about an entry of a
  /// mapping; adds it to `truth`.
  bool CompareContents(const Comparison& comparison, CompareOperator how, uint16_t condition,
                       TestOutcome& truth);
  /// Whether two bools or texts are equal, or the first is an item of the second; absent: unknown.
  std::optional<bool> IsEqual(const Comparison& comparison);
  /// The outcome of a comparison of two numbers that are literals or have contents; absent:
  /// unknown.
  std::optional<bool> CompareNumbers(const Expr& expr, const Comparison& comparison);
  std::optional<TestOutcome> TestCall(const Expr& expr);
  /// What the call of `callee` gives while Dynamo traces, if it is asked about that.
  std::optional<bool> CompilingAnswer(const Value& callee);
  /// The outcome of a call of a function that only returns a test: `exists(x)`; absent: it does
  /// more, or gives a tensor.
  std::optional<TestOutcome> TestHelper(const Expr& call, FunctionId function);
  /// Adds to `truth`, of isinstance(expr, type) with Python's `type`, what it says of `expr`.
  void NarrowToClass(const Expr& expr, const Value& subject, TestOutcome& truth);
  /// Adds to `truth`, of isinstance(expr, T), what it says of the name `expr`.
  void NarrowByType(const Expr& expr, const Value& subject, const Expr& type, TestOutcome& truth);
  /// The same for a test whether it is of the kind of `narrow`.
  static void NarrowTo(const Value& narrow, const Expr& expr, const Value& subject,
                       TestOutcome& truth);
  TestOutcome TruthOf(const Value& value, const Expr& expr, FactUse use);
  /// Records a test of a number from a tensor: a graph may hold the number, but not what it
  /// decides.
  void RecordNumber(const Value& value, const Expr& expr, FactUse use);
  uint16_t ConditionOf(const Expr& expr, const Value& value);
  /// Values of names before a test narrowed them; absent: they were not bound.
  using NamesBefore = llvm::SmallVector<std::pair<std::string_view, std::optional<Value>>, 2>;
  NamesBefore Refine(const Names& names);
  void Restore(const NamesBefore& before);

  // Calls (call_flow.cc).
  Value EvaluateCall(const Expr& expr);
  PassedValues EvaluateArguments(const Expr& call);
  Value CallValue(const Expr& expr, const Value& callee, PassedValues& arguments);
  Value CallOne(const Expr& expr, const Value& callee, PassedValues& arguments);
  /// The function calls a module, or what may be one.
  void NoteModule() { engine_.context(context_).runs_modules = true; }
  Value CallMethod(const Expr& expr, const Value& receiver, PassedValues& arguments);
  /// The name of a decorator that keeps Dynamo out of a function in `file`; empty: it does not.
  std::string_view KeeperOut(FileId file, const Expr& decorator);
  /// `place`: the call; null: it is no call in the code.
  Value CallProjectFunction(const Expr* place, FunctionId id, const Value* self,
                            llvm::ArrayRef<PassedValue> arguments);
  /// What something unknown gives for these arguments.
  Value ResultOfUnknown(const Expr& expr, const Value& callee, const PassedValues& arguments);
  Value CallObject(const Expr& expr, const Value& object, PassedValues& arguments);
  Value CallOutside(const Expr& expr, std::string_view name, const Value& subject,
                    PassedValues& arguments);
  std::optional<Value> CallBuiltin(const Expr& expr, std::string_view name,
                                   PassedValues& arguments);
  std::optional<Value> CallOfSelf(const Expr& expr, std::string_view method,
                                  PassedValues& arguments);
  /// `base`: the receiver, evaluated.
  std::optional<Value> CallContainer(const Expr& expr, std::string_view name, const Value& base,
                                     PassedValues& arguments);
  /// A call of `apply` of an autograd.Function of the project: its forward, and its backward.
  Value ApplyFunction(const Expr& expr, ClassId id, const PassedValues& arguments);
  Value SuperAttribute(std::string_view name);

  // Facts.
  /// The fact of this place and kind, to be filled in; a discarded one if no rule needs it.
  Fact& Record(FactKind kind, const Expr* expr, std::string_view name, const Value& subject);
  void AskNumber(const Expr* expr, const Value& value, FactUse use);
  ValueStore& values() { return engine_.values(); }

  FlowEngine& engine_;
  uint32_t context_;
  FlowContext& followed_;  ///< the context
  FileId file_;
  Value self_;
  AttributeTable* attributes_;
  bool has_no_facts_;
  bool is_for_value_;
  const Scope* outer_ = nullptr;
  const Stmt* function_ = nullptr;  ///< whose uses of names count; null: none
  Scope scope_;
  llvm::SmallVector<std::string_view, 2> globals_;  ///< names that the function declares global
  const Stmt* statement_ = nullptr;
  uint16_t conditions_ = 0;
  bool in_loop_ = false;
  bool in_comprehension_ = false;
  bool in_try_ = false;
  bool in_no_grad_ = false;
  Fact unwanted_;
  std::optional<Value> result_;
  uint32_t nesting_ = 0;
  uint32_t helper_depth_ = 0;  ///< of calls within tests
  /// Index of a fact about an expression in the context.
  llvm::SmallDenseMap<std::pair<const void*, uint32_t>, uint32_t, 8> fact_at_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_FUNCTION_FLOW_H_
