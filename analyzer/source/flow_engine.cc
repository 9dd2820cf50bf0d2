#include "source/flow_engine.h"

#include <algorithm>
#include <string>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "source/function_flow.h"
#include "source/outside.h"

namespace shapewise {
namespace {

// Deeper calls return an unknown value. Models nest about ten levels.
constexpr uint32_t kMaxCallDepth = 32;
// Limit on the combinations of arguments with which one function is followed in a group.
constexpr uint32_t kMaxCalls = 16;
// Limit on runs of a method that a constructor calls; models call a helper about ten times.
constexpr size_t kMaxConstructorRuns = 64;

/// Whether a decorator of a class may replace its forward: kernels from a hub, experts.
bool MayReplace(std::string_view decorator) {
  return decorator.find("kernel") != decorator.npos ||
         decorator.find("implementation") != decorator.npos;
}

}  // namespace

FollowedCall LocalCall(const Callable& local) {
  return {.function = local.local,
          .lambda = local.lambda,
          .id = local.within,
          .file = local.file,
          .is_local = true,
          .scope = local.scope};
}

class FlowEngine::NewShare {
 public:
  NewShare(FlowEngine& engine, FileId file, FunctionId function)
      : engine_(engine),
        outer_(std::exchange(engine.share_, {.file = file, .function = function})),
        depth_(std::exchange(engine.depth_, 0)),
        deepest_(engine.deepest_) {
    engine_.share_.is_of_roots = false;
    engine_.share_.num_outer = engine_.running_.size();
  }
  NewShare(const NewShare&) = delete;
  NewShare& operator=(const NewShare&) = delete;
  ~NewShare() {
    outer_.is_cut |= engine_.share_.is_cut;
    engine_.share_ = std::move(outer_);
    engine_.depth_ = depth_;
    engine_.deepest_ = deepest_;
  }

 private:
  FlowEngine& engine_;
  Share outer_;
  uint32_t depth_;
  uint32_t deepest_;
};

bool FlowEngine::EndSteps(const FlowContext& context) {
  if (share_.is_used_up) return false;
  if (nesting_ > kMaxStepNesting) {
    GiveUp(context, GivenUp::Why::kNesting);
    NoteOrder();
    return false;
  }
  share_.is_used_up = true;
  given_up_.insert({share_.file, share_.function, GivenUp::Why::kSteps});
  NoteCut(share_.num_outer);
  return false;
}

void FlowEngine::GiveUp(const FlowContext& context, GivenUp::Why why) {
  given_up_.insert({context.file, context.function, why});
}

uint32_t FlowEngine::NewContext(FunctionId function, FileId file) {
  FlowContext& context = contexts_.emplace_back();
  context.function = function;
  context.file = file;
  return static_cast<uint32_t>(contexts_.size() - 1);
}

uint32_t FlowEngine::KeepScope(const Scope& scope) {
  // DenseMap reserves the highest numbers.
  const auto [known, is_new] = scope_numbers_.try_emplace(scope.Hash() >> 2, scopes_.size());
  if (!is_new && *scopes_[known->second] == scope) return known->second;
  known->second = static_cast<uint32_t>(scopes_.size());
  scopes_.push_back(std::make_unique<Scope>(scope));
  return known->second;
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
        return MayReplace(DecoratorName(*decorator).text);
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
  if (call.function != nullptr) flow.Use(*call.function);
  for (size_t i = 0; i < parameters.size(); ++i) flow.Bind(parameters[i].name, given[i]);
  return call.function != nullptr ? flow.RunBody(call.function->body)
                                  : flow.RunLambda(*call.lambda);
}

void FlowEngine::BeginGroup() {
  is_followed_.clear();
  followed_locals_.clear();
  if (share_.is_cut) {
    const auto forget = [](auto& kept, auto is_final) {
      for (auto& [key, value] : kept) {
        if (!is_final(value)) kept.erase(key);
      }
    };
    forget(attributes_, [](const auto& table) { return table->is_final; });
    for (KeptValues* kept : {&module_values_, &annotations_}) {
      forget(*kept, [](const KeptValue& value) { return value.is_final; });
    }
  }
  share_ = {};
}

bool FlowEngine::Reuse(uint32_t number, bool is_for_value) {
  const FlowContext& context = contexts_[number];
  if (context.is_for_value && !is_for_value) return false;
  if (context.is_done && !EndsAlike(context)) return false;
  if (share_.seen.contains(number)) return true;
  if (!context.is_done || context.is_cut || depth_ + context.num_levels > kMaxCallDepth) {
    return false;
  }
  // The bounds are those of a share that is the first: it must not depend on other files.
  std::vector<uint32_t> reached{number};
  share_.seen.insert(number);
  uint64_t num_steps = share_.num_steps;
  bool fits = true;
  for (size_t i = 0; i < reached.size(); ++i) {
    const FlowContext& one = contexts_[reached[i]];
    num_steps += one.num_steps;
    fits &= one.callee == 0 || ++share_.num_kinds[one.callee] <= kMaxCalls;
    for (const CallEdge& call : one.calls) {
      if (share_.seen.insert(call.to).second) reached.push_back(call.to);
    }
  }
  if (!fits || num_steps > kMaxSteps) {
    for (const uint32_t one : reached) {
      share_.seen.erase(one);
      if (contexts_[one].callee != 0) --share_.num_kinds[contexts_[one].callee];
    }
    return false;
  }
  share_.num_steps = num_steps;
  for (const uint32_t one : reached) NoteFollowed(contexts_[one]);
  return true;
}

void FlowEngine::NoteFollowed(const FlowContext& context) {
  if (share_.is_of_roots && !context.is_local) {
    is_followed_.insert({context.function, context.of});
  }
}

void FlowEngine::NoteOrder() {
  NoteCut(0);
  share_.is_cut = true;
}

void FlowEngine::NoteCut(size_t num_whole) {
  for (size_t i = num_whole; i < running_.size(); ++i) contexts_[running_[i]].is_cut = true;
}

Value FlowEngine::Follow(uint32_t from, const FollowedCall& call, uint16_t conditions) {
  if (call.in_loop && call.id != kNoId && !call.is_local) called_in_loops_.insert(call.id);
  if (depth_ >= kMaxCallDepth) {
    GiveUp(contexts_[from], GivenUp::Why::kNesting);
    NoteCut(share_.num_outer);
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
  Callee& callee = callees_[key];
  if (callee.number == 0) callee.number = static_cast<uint32_t>(callees_.size());
  std::vector<Followed>& earlier = callee.followed;
  const size_t hash = HashOf(values);
  const bool is_for_value = IsForValue();
  const auto same = llvm::find_if(earlier, [&](const Followed& followed) {
    return followed.hash == hash &&
           llvm::ArrayRef<Value>(followed.values) == llvm::ArrayRef<Value>(values) &&
           Reuse(followed.context, is_for_value);
  });
  if (same != earlier.end()) {
    contexts_[from].calls.push_back({.to = same->context, .conditions = entry_conditions});
    const FlowContext& context = contexts_[same->context];
    if (context.is_done) {
      deepest_ = std::max(deepest_, nesting_ + (context.deepest - context.nesting));
      if (context.is_cut) NoteCut(share_.num_outer);
      return context.result;
    }
    NoteCut(static_cast<size_t>(llvm::find(running_, same->context) - running_.begin()) + 1);
    return {};
  }
  uint32_t& num_kinds = share_.num_kinds[callee.number];
  if (num_kinds >= kMaxCalls) {
    given_up_.insert({call.file, call.id, GivenUp::Why::kCalls});
    NoteCut(share_.num_outer);
    return {};
  }
  const uint32_t number = NewContext(call.id, call.file);
  contexts_[number].of = values_.class_of(call.self);
  contexts_[number].is_local = call.is_local;
  contexts_[number].is_for_value = is_for_value;
  contexts_[number].callee = callee.number;
  share_.seen.insert(number);
  ++num_kinds;
  NoteFollowed(contexts_[number]);
  earlier.push_back({.hash = hash, .values = {values.begin(), values.end()}, .context = number});
  contexts_[from].calls.push_back({.to = number, .conditions = entry_conditions});
  running_.push_back(number);
  const uint32_t outer_deepest = std::exchange(deepest_, nesting_);
  const Value result = RunContext(number, call, llvm::ArrayRef<Value>(values).drop_back());
  running_.pop_back();
  FlowContext& context = contexts_[number];
  context.result = result;
  context.is_done = true;
  context.nesting = nesting_;
  context.deepest = deepest_;
  deepest_ = std::max(deepest_, outer_deepest);
  for (const CallEdge& edge : context.calls) {
    context.num_levels = std::max(context.num_levels, contexts_[edge.to].num_levels + 1);
  }
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
  if (!is_new) {
    AttributeTable& known = *entry->second;
    if (!known.is_final && share_.table != &known) NoteOrder();
    return known;
  }
  entry->second = std::make_unique<AttributeTable>();
  // The map may reallocate, but not the values it points to.
  AttributeTable& table = *entry->second;
  const FunctionId constructor = project_.FindMethod(id, "__init__");
  const NewShare share(*this, project_.class_of(id).file, constructor);
  share_.table = &table;
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
  if (constructor != kNoId) {
    const Stmt* tree = project_.Tree(constructor);
    if (tree != nullptr && !tree->parameters.empty()) {
      const FollowedCall call{.function = tree,
                              .id = constructor,
                              .file = project_.function(constructor).file,
                              .has_self = true,
                              .self = self,
                              .attributes = &table};
      std::vector<Value> given{self};
      for (const Parameter& parameter : tree->parameters.drop_front()) {
        Value value = RootArgument(call.file, parameter, tree);
        // A constructor gets settings: a tensor only if its annotation or its code says so.
        if (value.Has(Trait::kGuessed) &&
            !tensor_uses_.IsTensor(call.file, *tree, parameter.name)) {
          value = {};
        }
        if (value.kind == ValueKind::kObject || value.kind == ValueKind::kUnknown) {
          value.Add(Trait::kConfig);
        }
        value.Remove(Trait::kArgument);
        given.push_back(value);
      }
      FollowConstructor(call, given);
    }
  }
  for (auto& [name, value] : table.values) {
    if (value.kind == ValueKind::kTensor || value.kind == ValueKind::kBool ||
        value.kind == ValueKind::kInt || value.kind == ValueKind::kFloat ||
        value.kind == ValueKind::kUnknown) {
      value.Add(Trait::kStored);
      value.Remove(Trait::kMade, Trait::kConstant);
    }
  }
  table.is_final = !share_.is_cut;
  return table;
}

const Value* FlowEngine::Attribute(ClassId id, std::string_view name) {
  return id != kNoId ? TableOf(id).Find(name) : nullptr;
}

bool FlowEngine::HoldsTensors(ClassId id) {
  return llvm::any_of(TableOf(id).values,
                      [](const auto& entry) { return entry.second.IsTensor(); });
}

Value FlowEngine::ModuleValue(FileId file, const Expr& expr) {
  if (const std::optional<Value> literal = values_.Literal(expr)) return *literal;
  return Keep(module_values_, file, expr, [&] {
    const uint32_t context = NewContextWithoutFacts(kNoId, file);
    return FunctionFlow(*this, context, file, {}).Evaluate(&expr);
  });
}

Value FlowEngine::Keep(KeptValues& kept, FileId file, const Expr& expr,
                       llvm::function_ref<Value()> compute) {
  const auto [entry, is_new] = kept.try_emplace({file, &expr});
  if (!is_new) {
    const KeptValue known = entry->second;
    if (!known.is_final) NoteOrder();
    return known.value;
  }
  const NewShare share(*this, file, kNoId);
  const Value value = compute();
  kept[{file, &expr}] = {.value = value, .is_final = !share_.is_cut};
  return value;
}

std::vector<Value> FlowEngine::WrappersOf(FunctionId function) {
  const auto [entry, is_new] = wrappers_.try_emplace(function);
  const Stmt* tree = project_.Tree(function);
  if (!is_new || tree == nullptr) return entry->second;
  const FileId file = project_.function(function).file;
  const NewShare share(*this, file, function);
  const uint32_t context = NewContextWithoutFacts(function, file);
  std::vector<Value> wrappers;
  for (const Expr* decorator : tree->decorators) {
    const Binding named = project_.ResolveDotted(file, DecoratorName(*decorator));
    if (named.kind != Binding::Kind::kFunction) continue;
    const Value value = FunctionFlow(*this, context, file, {}).Evaluate(decorator);
    FollowedCall call;
    if (const FunctionId id = values_.function_of(value); id != kNoId) {
      call = {.function = project_.Tree(id), .id = id, .file = project_.function(id).file};
    } else if (const Callable* local = values_.callable(value)) {
      call = LocalCall(*local);
    }
    if (call.function == nullptr) continue;
    // The decorated function stays unknown here, because it is followed by itself.
    const PassedValue decorated{};
    call.arguments = decorated;
    const Value wrapper = Follow(context, call, 0);
    const Callable* local = values_.callable(wrapper);
    if (local != nullptr && local->local != nullptr) wrappers.push_back(wrapper);
  }
  return wrappers_[function] = wrappers;
}

void FlowEngine::FollowWrappers(uint32_t from, const FollowedCall& call, uint16_t conditions) {
  if (call.id == kNoId || call.is_local || call.function->decorators.empty()) return;
  PassedValues arguments;
  if (call.has_self) arguments.push_back({.keyword = {}, .value = call.self});
  llvm::append_range(arguments, call.arguments);
  for (const Value& wrapper : WrappersOf(call.id)) {
    FollowedCall outer = LocalCall(*values_.callable(wrapper));
    outer.self = call.self;
    outer.arguments = arguments;
    Follow(from, outer, conditions);
  }
}

bool FlowEngine::IsFollowed(const CompiledRoot& root) const {
  return is_followed_.contains({root.function, root.of});
}

void FlowEngine::ForgetCalls() {
  for (FlowContext& context : contexts_) context.calls.clear();
}

}  // namespace shapewise
