#include "source/flow_engine.h"

#include <algorithm>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "source/function_flow.h"
#include "source/outside.h"

namespace shapewise {
namespace {

// Deeper calls return an unknown value. Models nest about ten levels.
constexpr uint32_t kMaxCallDepth = 32;
// Limit on the combinations of arguments with which one function is followed in a group.
constexpr int kMaxCalls = 16;
// Limit on runs of a method that a constructor calls; models call a helper about ten times.
constexpr size_t kMaxConstructorRuns = 64;

// Steps (statements, expressions, tests, calls) for following the roots of one file, or for finding
// the contents of objects of one class or of a constant. Nested loops, and nested calls with ever
// new arguments, take exponential time.
constexpr uint64_t kMaxSteps = 2'000'000;
// Nested steps. One takes up to 2 KiB of a stack of 8 MiB.
constexpr uint32_t kMaxStepNesting = 1500;

constexpr uint8_t kGuessedTensor = 80;
// A name alone does not suffice for a function that no module calls.
constexpr uint8_t kGuessedArgument = 58;
constexpr uint8_t kAnnotated = 95;
// ... of a tensor by an annotation that names other types, too, one of which the default has.
constexpr uint8_t kRatherOther = 45;

/// Whether a decorator of a class may replace its forward: kernels from a hub, experts.
bool MayReplace(std::string_view decorator) {
  return decorator.find("kernel") != decorator.npos ||
         decorator.find("implementation") != decorator.npos;
}

Value Optional(Value value) {
  value.traits |= Bit(Trait::kOptional);
  return value;
}

}  // namespace

class FlowEngine::NewShare {
 public:
  NewShare(FlowEngine& engine, FileId file, FunctionId function)
      : engine_(engine), outer_(engine.share_) {
    engine_.share_ = {.file = file, .function = function};
  }
  NewShare(const NewShare&) = delete;
  NewShare& operator=(const NewShare&) = delete;
  ~NewShare() { engine_.share_ = outer_; }

 private:
  FlowEngine& engine_;
  Share outer_;
};

bool FlowEngine::BeginStep(uint32_t context) {
  ++nesting_;
  if (share_.is_used_up) return false;
  if (nesting_ > kMaxStepNesting) {
    GiveUp(context, GivenUp::Why::kNesting);
    NoteCut(0);
    return false;
  }
  ++contexts_[context].num_steps;
  if (++share_.num_steps <= kMaxSteps) return true;
  share_.is_used_up = true;
  given_up_.insert({share_.file, share_.function, GivenUp::Why::kSteps});
  NoteCut(0);
  return false;
}

void FlowEngine::GiveUp(uint32_t context, GivenUp::Why why) {
  const FlowContext& at = contexts_[context];
  given_up_.insert({at.file, at.function, why});
}

uint32_t FlowEngine::NewContext(FunctionId function, FileId file) {
  FlowContext& context = contexts_.emplace_back();
  context.function = function;
  context.file = file;
  return static_cast<uint32_t>(contexts_.size() - 1);
}

uint32_t FlowEngine::KeepScope(const Scope& scope) {
  scopes_.push_back(std::make_unique<Scope>(scope));
  return static_cast<uint32_t>(scopes_.size() - 1);
}

Value FlowEngine::DefaultValue(FileId file, const Expr* expr) {
  if (expr == nullptr) return {};
  const Value value = ModuleValue(file, *expr);
  const bool is_digits =
      expr->kind == PythonExprKind::kInteger || expr->kind == PythonExprKind::kFloat;
  return is_digits && value.ref == 0 ? values_.NumberOf(value, expr->text) : value;
}

Value FlowEngine::RootArgument(FileId file, const Parameter& parameter, const Stmt* function) {
  Value value;
  if (parameter.annotation != nullptr) value = ValueOfAnnotation(file, *parameter.annotation);
  const Value given = DefaultValue(file, parameter.default_value);
  const bool is_none = parameter.default_value != nullptr && given.kind == ValueKind::kNone;
  if (value.kind == ValueKind::kUnknown && parameter.annotation == nullptr) {
    const bool is_used =
        function != nullptr && tensor_uses_.NamesIn(file, *function).Has(parameter.name);
    // A forward gets tensors; other functions say by their code what they get.
    const bool is_count =
        function != nullptr && tensor_uses_.CountsIn(file, *function).Has(parameter.name);
    const bool may_guess = function == nullptr || (function->text == "forward" && !is_count);
    if (is_used) {
      value = {.kind = ValueKind::kTensor, .certainty = kUsedAsTensor};
      value.traits = Bit(Trait::kGuessed);
    } else {
      if (!is_count) value = GuessByName(parameter.name);
      if (!may_guess && value.IsTensor()) value.certainty = kGuessedArgument;
    }
    if (value.kind == ValueKind::kUnknown && parameter.default_value != nullptr && !is_none) {
      value = given;
      value.traits &= static_cast<uint16_t>(~Bit(Trait::kConstant));
    } else if (value.kind == ValueKind::kUnknown && may_guess) {
      value = {.kind = ValueKind::kTensor, .certainty = kGuessedTensor};
      value.traits = Bit(Trait::kGuessed);
    }
  }
  // An annotation that says nothing, as that of several types: what it is by default.
  if (value.kind == ValueKind::kUnknown && parameter.annotation != nullptr && HasContents(given)) {
    value = given;
    value.traits &= static_cast<uint16_t>(~Bit(Trait::kConstant));
  }
  const bool is_other = given.kind != ValueKind::kUnknown && !is_none && !given.IsTensor();
  if (parameter.annotation != nullptr && value.IsTensor() && value.certainty < 100 && is_other) {
    value.certainty = std::min(value.certainty, kRatherOther);
  }
  if (is_none) {
    value.traits |= Bit(Trait::kOptional);
    if (function != nullptr && RequiresTensor(file, *function)) value.traits |= Bit(Trait::kExtra);
  }
  if (HasContents(value) && value.kind == given.kind) value.ref = given.ref;
  value.traits |= Bit(Trait::kArgument);
  switch (parameter.kind) {
    case Parameter::Kind::kStar:
      return values_.SequenceOf(value);
    case Parameter::Kind::kDoubleStar:
      return values_.Mapping({});
    default:
      return value;
  }
}

bool FlowEngine::RequiresTensor(FileId file, const Stmt& function) {
  return llvm::any_of(function.parameters, [&](const Parameter& parameter) {
    const bool is_required = parameter.default_value == nullptr &&
                             parameter.kind != Parameter::Kind::kStar &&
                             parameter.kind != Parameter::Kind::kDoubleStar;
    return is_required && parameter.name != "self" &&
           RootArgument(file, parameter, &function).IsTensor();
  });
}

BoundValues FlowEngine::BindParameters(const FollowedCall& call) {
  const llvm::ArrayRef<Parameter> parameters =
      call.function != nullptr ? call.function->parameters : call.lambda->parameters;
  BoundValues values(parameters.size());
  llvm::SmallVector<bool, 8> is_given(parameters.size());
  llvm::SmallDenseMap<llvm::StringRef, size_t, 8> by_name;  // filled on demand
  size_t next = 0;
  bool has_open_stars = false;
  bool has_open_keywords = false;
  if (call.has_self && !parameters.empty()) {
    values[0] = call.self;
    is_given[0] = true;
    next = 1;
  }
  for (const PassedValue& argument : call.arguments) {
    if (argument.stars == 2) {
      has_open_keywords = true;
      continue;
    }
    if (argument.stars == 1) {
      has_open_stars = true;
      continue;
    }
    if (!argument.keyword.empty()) {
      if (by_name.empty()) {
        for (size_t i = 0; i < parameters.size(); ++i) {
          by_name.try_emplace(llvm::StringRef(parameters[i].name), i);
        }
      }
      if (const auto named = by_name.find(llvm::StringRef(argument.keyword));
          named != by_name.end()) {
        values[named->second] = argument.value;
        is_given[named->second] = true;
      }
      continue;
    }
    while (next < parameters.size() && is_given[next]) ++next;
    if (next >= parameters.size()) continue;
    const Parameter& parameter = parameters[next];
    if (parameter.kind == Parameter::Kind::kStar) {
      values[next] = is_given[next] ? values_.Join(values[next], argument.value) : argument.value;
      continue;
    }
    if (parameter.kind == Parameter::Kind::kKeywordOnly ||
        parameter.kind == Parameter::Kind::kDoubleStar) {
      continue;
    }
    values[next] = argument.value;
    is_given[next++] = true;
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    if (parameter.kind == Parameter::Kind::kDoubleStar) {
      values[i] = values_.Mapping({});
      continue;
    }
    if (parameter.kind == Parameter::Kind::kStar) {
      values[i] = values_.SequenceOf(values[i]);
      continue;
    }
    Value annotated;
    const bool is_reported = parameter.annotation != nullptr;
    if (!is_given[i]) {
      const bool may_be_given = has_open_keywords || has_open_stars;
      if (!may_be_given) {
        values[i] = DefaultValue(call.file, parameter.default_value);
        continue;
      }
      if (is_reported) annotated = ValueOfAnnotation(call.file, *parameter.annotation);
      annotated.certainty = std::min(annotated.certainty, kAnnotated);
      values[i] = annotated;
      if (parameter.default_value != nullptr &&
          parameter.default_value->kind == PythonExprKind::kNone) {
        values[i] = Optional(values[i]);
        values[i].traits |= Bit(Trait::kArgument);
      } else if (annotated.kind == ValueKind::kUnknown || HasContents(annotated)) {
        // `f(x, **options)` mostly leaves a switch as it is.
        const Value given = DefaultValue(call.file, parameter.default_value);
        if (HasContents(given)) {
          values[i] = given;
          values[i].traits &= static_cast<uint16_t>(~Bit(Trait::kConstant));
          values[i].traits |= Bit(Trait::kArgument);
        }
      }
      continue;
    }
    const bool is_unknown =
        values[i].kind == ValueKind::kUnknown && !values[i].Has(Trait::kFromData);
    if (is_reported && values[i].IsTensor() && values[i].Has(Trait::kGuessed)) {
      // A declared number or text says more than a guess.
      annotated = ValueOfAnnotation(call.file, *parameter.annotation);
      if (IsNumber(annotated) || annotated.kind == ValueKind::kText) values[i] = annotated;
      continue;
    }
    if (!is_reported && is_unknown && call.has_self && call.function != nullptr &&
        call.function->text == "forward") {
      Value guess = GuessByName(parameter.name);
      guess.certainty = std::min(guess.certainty, kGuessedArgument);
      guess.under = values[i].under;
      values[i] = guess;
    }
    if (!is_reported && is_unknown && values[i].kind == ValueKind::kUnknown &&
        !values[i].Has(Trait::kConfig) && call.function != nullptr &&
        tensor_uses_.NamesIn(call.file, *call.function).Has(parameter.name)) {
      values[i] = {
          .kind = ValueKind::kTensor, .certainty = kUsedAsTensor, .under = values[i].under};
      values[i].traits = Bit(Trait::kGuessed);
    }
    if (is_reported && is_unknown) {
      annotated = ValueOfAnnotation(call.file, *parameter.annotation);
      annotated.certainty = std::min(annotated.certainty, kAnnotated);
      annotated.under = values[i].under;
      // Handed on, it is still what the caller may leave out.
      constexpr auto kLeftOut =
          static_cast<uint16_t>(Bit(Trait::kArgument) | Bit(Trait::kOptional));
      annotated.traits |= static_cast<uint16_t>(values[i].traits & kLeftOut);
      if (annotated.kind != ValueKind::kNone) values[i] = annotated;
    }
  }
  return values;
}

uint16_t FlowEngine::EntryConditions(FunctionId function) {
  if (function == kNoId) return 0;
  const ClassId id = project_.function(function).in_class;
  if (id == kNoId) return 0;
  const auto [entry, is_new] = is_replaced_.try_emplace(id, false);
  if (is_new) {
    bool is_replaced = false;
    if (const Stmt* tree = project_.ClassTree(id)) {
      is_replaced = llvm::any_of(tree->decorators, [](const Expr* decorator) {
        const Expr* name = decorator->kind == PythonExprKind::kCall ? decorator->left : decorator;
        return MayReplace(name->text);
      });
    }
    is_replaced_[id] = is_replaced;
  }
  return is_replaced_[id] ? Bit(RunCondition::kReplaced) : 0;
}

Value FlowEngine::RunContext(uint32_t number, const FollowedCall& call,
                             llvm::ArrayRef<Value> given) {
  const llvm::ArrayRef<Parameter> parameters =
      call.function != nullptr ? call.function->parameters : call.lambda->parameters;
  FunctionFlow flow(*this, number, call.file, call.self, call.attributes);
  if (call.is_local) flow.See(scopes_[call.scope].get());
  if (call.function != nullptr) flow.Use(tensor_uses_.NamesIn(call.file, *call.function));
  for (size_t i = 0; i < parameters.size(); ++i) flow.Bind(parameters[i].name, given[i]);
  return call.function != nullptr ? flow.RunBody(call.function->body)
                                  : flow.RunLambda(*call.lambda);
}

void FlowEngine::BeginGroup() {
  ++group_;
  is_followed_.clear();
  share_ = {};
}

void FlowEngine::NoteSeen(uint32_t number) {
  std::vector<uint32_t> todo{number};
  while (!todo.empty()) {
    FlowContext& context = contexts_[todo.back()];
    todo.pop_back();
    if (context.seen_in == group_) continue;
    context.seen_in = group_;
    // Charge the group as if it were the first: its share must not depend on other files.
    share_.num_steps += context.num_steps;
    if (!context.is_local) is_followed_.insert({context.function, context.of});
    for (const CallEdge& call : context.calls) todo.push_back(call.to);
  }
}

void FlowEngine::NoteCut(size_t num_whole) {
  for (size_t i = num_whole; i < running_.size(); ++i) contexts_[running_[i]].is_cut = true;
}

Value FlowEngine::Follow(uint32_t from, const FollowedCall& call, uint16_t conditions) {
  if (call.in_loop && call.id != kNoId && !call.is_local) called_in_loops_.insert(call.id);
  if (depth_ >= kMaxCallDepth) {
    GiveUp(from, GivenUp::Why::kNesting);
    NoteCut(0);
    return {};
  }
  BoundValues values = BindParameters(call);
  ++depth_;
  const auto leave = llvm::make_scope_exit([&] { --depth_; });
  if (call.attributes != nullptr) return FollowConstructor(call, values);

  values.push_back(call.self);
  const void* text = call.function != nullptr ? static_cast<const void*>(call.function)
                                              : static_cast<const void*>(call.lambda);
  const CallKey key{text, {call.id, call.is_local ? call.scope : 0}};
  const auto entry_conditions =
      static_cast<uint16_t>(conditions | (call.is_local ? 0 : EntryConditions(call.id)));
  std::vector<Followed>& earlier = followed_[key];
  const size_t hash = HashOf(values);
  const auto same = llvm::find_if(earlier, [&](const Followed& followed) {
    if (followed.hash != hash ||
        llvm::ArrayRef<Value>(followed.values) != llvm::ArrayRef<Value>(values))
      return false;
    const FlowContext& context = contexts_[followed.context];
    return context.seen_in == group_ || !context.is_cut;
  });
  if (same != earlier.end()) {
    NoteSeen(same->context);
    contexts_[from].calls.push_back({.to = same->context, .conditions = entry_conditions});
    const FlowContext& context = contexts_[same->context];
    if (context.is_done) {
      if (context.is_cut) NoteCut(0);
      return context.result;
    }
    NoteCut(static_cast<size_t>(llvm::find(running_, same->context) - running_.begin()) + 1);
    return {};
  }
  const auto num_calls = llvm::count_if(earlier, [&](const Followed& followed) {
    return contexts_[followed.context].seen_in == group_;
  });
  if (num_calls >= kMaxCalls) {
    given_up_.insert({call.file, call.id, GivenUp::Why::kCalls});
    NoteCut(0);
    return {};
  }
  const uint32_t number = NewContext(call.id, call.file);
  contexts_[number].of = values_.class_of(call.self);
  contexts_[number].is_local = call.is_local;
  NoteSeen(number);
  earlier.push_back({.hash = hash, .values = {values.begin(), values.end()}, .context = number});
  contexts_[from].calls.push_back({.to = number, .conditions = entry_conditions});
  running_.push_back(number);
  const Value result = RunContext(number, call, llvm::ArrayRef<Value>(values).drop_back());
  running_.pop_back();
  contexts_[number].result = result;
  contexts_[number].is_done = true;
  return result;
}

Value FlowEngine::FollowConstructor(const FollowedCall& call, llvm::ArrayRef<Value> values) {
  AttributeTable& table = *call.attributes;
  const std::vector<AttributeTable::Run>& earlier = table.runs[call.id];
  for (const AttributeTable::Run& run : earlier) {
    // A recursive call: its effect on the object is still being computed.
    if (!run.is_done) return {};
    // Nothing has changed since, so another run would have the same result.
    if (run.num_changes == table.num_changes && llvm::ArrayRef<Value>(run.values) == values)
      return run.result;
  }
  if (earlier.size() >= kMaxConstructorRuns) {
    given_up_.insert({call.file, call.id, GivenUp::Why::kCalls});
    return {};
  }
  const size_t number = earlier.size();
  table.runs[call.id].push_back({.values = values.vec(), .num_changes = table.num_changes});
  const Value result = RunContext(NewContextWithoutFacts(call.id, call.file), call, values);
  AttributeTable::Run& run = table.runs[call.id][number];
  run.result = result;
  run.is_done = true;
  return result;
}

AttributeTable& FlowEngine::TableOf(ClassId id) {
  const auto [entry, is_new] = attributes_.try_emplace(id, nullptr);
  if (!is_new) return *entry->second;
  entry->second = std::make_unique<AttributeTable>();
  // The map may reallocate, but not the values it points to.
  AttributeTable& table = *entry->second;
  const FunctionId constructor = project_.FindMethod(id, "__init__");
  const NewShare share(*this, project_.class_of(id).file, constructor);
  const bool is_module = project_.IsModule(id);
  const Value self = values_.Object(id, is_module);

  const std::vector<ClassId> line = project_.Linearization(id);
  for (const ClassId base : llvm::reverse(line)) {
    const Stmt* tree = project_.ClassTree(base);
    if (tree == nullptr) continue;
    const FileId file = project_.class_of(base).file;
    for (const Stmt* stmt : tree->body) {
      const bool is_assignment =
          stmt->kind == StmtKind::kAssign || stmt->kind == StmtKind::kAnnotated;
      if (!is_assignment || stmt->targets.size() != 1) continue;
      const Expr& target = *stmt->targets.front();
      if (target.kind != PythonExprKind::kName) continue;
      Value value = stmt->value != nullptr ? ModuleValue(file, *stmt->value) : Value{};
      if (stmt->annotation != nullptr &&
          (stmt->value == nullptr || value.kind == ValueKind::kNone)) {
        value = values_.Join(value, ValueOfAnnotation(file, *stmt->annotation));
      }
      table.values[llvm::StringRef(target.text.data(), target.text.size())] = value;
    }
  }
  if (constructor != kNoId && depth_ < kMaxCallDepth) {
    const Stmt* tree = project_.Tree(constructor);
    if (tree != nullptr && !tree->parameters.empty()) {
      FollowedCall call;
      call.function = tree;
      call.id = constructor;
      call.file = project_.function(constructor).file;
      call.has_self = true;
      call.self = self;
      call.attributes = &table;
      std::vector<Value> given{self};
      for (const Parameter& parameter : tree->parameters.drop_front()) {
        Value value = RootArgument(call.file, parameter, tree);
        // A constructor gets settings: a tensor only if its annotation or its code says so.
        const bool is_used = tensor_uses_.NamesIn(call.file, *tree).Has(parameter.name);
        if (value.Has(Trait::kGuessed) && !is_used) value = {};
        if (value.kind == ValueKind::kObject || value.kind == ValueKind::kUnknown) {
          value.traits |= Bit(Trait::kConfig);
        }
        value.traits &= static_cast<uint16_t>(~Bit(Trait::kArgument));
        given.push_back(value);
      }
      ++depth_;
      FollowConstructor(call, given);
      --depth_;
    }
  }
  for (auto& [name, value] : table.values) {
    if (value.kind == ValueKind::kTensor || value.kind == ValueKind::kBool ||
        value.kind == ValueKind::kInt || value.kind == ValueKind::kFloat ||
        value.kind == ValueKind::kUnknown) {
      value.traits |= Bit(Trait::kStored);
      value.traits &= static_cast<uint16_t>(~(Bit(Trait::kMade) | Bit(Trait::kConstant)));
    }
  }
  return table;
}

const Value* FlowEngine::Attribute(ClassId id, std::string_view name) {
  const AttributeTable& table = TableOf(id);
  return table.Find(name);
}

bool FlowEngine::HoldsTensors(ClassId id) {
  return llvm::any_of(TableOf(id).values,
                      [](const auto& entry) { return entry.second.IsTensor(); });
}

Value FlowEngine::ModuleValue(FileId file, const Expr& expr) {
  const auto [entry, is_new] = module_values_.try_emplace({file, &expr}, Value{});
  if (!is_new) return entry->second;
  const NewShare share(*this, file, kNoId);
  FunctionFlow flow(*this, NewContextWithoutFacts(kNoId, file), file, {});
  const Value value = flow.Evaluate(&expr);
  module_values_[{file, &expr}] = value;
  return value;
}

bool FlowEngine::IsFollowed(const CompiledRoot& root) const {
  return is_followed_.contains({root.function, root.of});
}

void FlowEngine::ForgetCalls() {
  for (FlowContext& context : contexts_) context.calls.clear();
}

}  // namespace shapewise
