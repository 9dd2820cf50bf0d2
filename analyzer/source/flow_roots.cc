// Where compiled regions begin: roots, code around regions, and what that code compiles.

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "source/flow_engine.h"
#include "source/function_flow.h"

namespace shapewise {

void FlowEngine::RunRoot(const FollowedCall& call, llvm::ArrayRef<Value> given,
                         const CompiledRoot& root) {
  const uint32_t above = NewContext(kNoId, call.file);
  const uint32_t number = NewContext(call.id, call.file);
  contexts_[number].is_local = call.is_local;
  contexts_[above].calls.push_back(
      {.to = number, .conditions = call.is_local ? uint16_t{0} : EntryConditions(call.id)});
  roots_.push_back({above, root.is_compiled, root.is_whole});
  if (root.is_whole && !call.is_local) whole_functions_.insert(call.id);
  NameShare(call.file, call.id);
  contexts_[number].result = RunContext(number, call, given);
  contexts_[number].is_done = true;
  if (call.is_local) return;
  PassedValues arguments;
  for (size_t i = call.has_self ? 1 : 0; i < given.size(); ++i) {
    const Parameter::Kind kind = call.function->parameters[i].kind;
    if (kind == Parameter::Kind::kStar || kind == Parameter::Kind::kDoubleStar) break;
    arguments.push_back({.keyword = {}, .value = given[i]});
  }
  FollowedCall decorated = call;
  decorated.arguments = arguments;
  FollowWrappers(above, decorated, 0);
}

void FlowEngine::FollowRoot(const CompiledRoot& root) {
  if (root.is_around) {
    const uint32_t context = NewContextWithoutFacts(root.function, root.file);
    follows_locals_ = true;
    RunOutside(context);
    follows_locals_ = false;
    return;
  }
  const Stmt* tree = project_.Tree(root.function);
  if (tree == nullptr) {
    const FileId file = project_.function(root.function).file;
    given_up_.insert({file, root.function, GivenUp::Why::kUnread});
    return;
  }
  FollowedCall call{
      .function = tree, .id = root.function, .file = project_.function(root.function).file};
  llvm::ArrayRef<Parameter> parameters = tree->parameters;
  std::vector<Value> given;
  if (root.of != kNoId && !parameters.empty() && !HasDecorator(*tree, "staticmethod")) {
    call.has_self = true;
    call.self = values_.Object(root.of, project_.IsModule(root.of));
    given.push_back(call.self);
    parameters = parameters.drop_front();
  }
  for (const Parameter& parameter : parameters) {
    given.push_back(RootArgument(call.file, parameter, tree));
  }
  RunRoot(call, given, root);
}

void FlowEngine::NoteCompiled(uint32_t context, const Value& value, bool is_whole) {
  for (const Value& one : values_.Alternatives(value)) {
    CompiledRoot root{.is_compiled = true, .is_whole = is_whole};
    root.is_in_script = outside_ != kNoContext && contexts_[outside_].function == kNoId;
    root.function = values_.function_of(one);
    if (const Callable* method = values_.callable(one)) {
      if (method->function == kNoId) {
        NoteLocal(context, *method, is_whole);
        continue;
      }
      root.function = method->function;
      root.of = values_.class_of(method->self);
    }
    const bool is_object = one.kind == ValueKind::kModule || one.kind == ValueKind::kObject;
    if (is_object && values_.class_of(one) != kNoId) {
      root.of = values_.class_of(one);
      root.function = project_.FindMethod(root.of, "forward");
      if (root.function == kNoId) root.function = project_.FindMethod(root.of, "__call__");
    }
    if (root.function != kNoId) compiled_.push_back(root);
  }
}

void FlowEngine::NoteLocal(uint32_t context, Callable local, bool is_whole) {
  // A function that something calls is run by itself.
  if (context != outside_ || contexts_[context].function != local.within) return;
  if (!follows_locals_) {
    compiled_.push_back({.function = local.within,
                         .file = local.file,
                         .is_compiled = true,
                         .is_whole = is_whole,
                         .is_around = true});
    return;
  }
  const void* text = local.local != nullptr ? static_cast<const void*>(local.local)
                                            : static_cast<const void*>(local.lambda);
  if (!followed_locals_.insert({is_whole, text}).second) return;
  const FollowedCall call = LocalCall(local);
  const llvm::ArrayRef<Parameter> parameters =
      local.local != nullptr ? local.local->parameters : local.lambda->parameters;
  std::vector<Value> given;
  for (const Parameter& parameter : parameters) {
    given.push_back(RootArgument(local.file, parameter, local.local));
  }
  if (call.id == kNoId && call.lambda != nullptr) {
    lambdas_.emplace_back(call.file, call.lambda->span.begin);
  }
  RunRoot(call, given, {.is_compiled = true, .is_whole = is_whole});
}

void FlowEngine::FollowOutside(FileId file, FunctionId function) {
  const uint32_t number = NewContext(function, file);
  roots_.push_back({.context = number});
  RunOutside(number);
}

void FlowEngine::FollowDecorators(FunctionId function) {
  const Stmt* tree = project_.Tree(function);
  if (tree == nullptr) return;
  const FileId file = project_.function(function).file;
  const uint32_t number = NewContext(function, file);
  roots_.push_back({.context = number});
  FunctionFlow flow(*this, number, file, {});
  for (const Expr* decorator : tree->decorators) flow.Evaluate(decorator);
}

void FlowEngine::RunOutside(uint32_t context) {
  const FileId file = contexts_[context].file;
  const FunctionId function = contexts_[context].function;
  outside_ = context;
  const auto leave = llvm::make_scope_exit([&] { outside_ = kNoContext; });
  NameShare(file, function);
  Value self;
  const Stmt* tree = nullptr;
  if (function != kNoId) {
    tree = project_.Tree(function);
    if (tree == nullptr) return;
    const ClassId id = project_.function(function).in_class;
    if (id != kNoId) self = values_.Object(id, project_.IsModule(id));
  }
  FunctionFlow flow(*this, context, file, self);
  if (tree == nullptr) {
    flow.RunBody(project_.ModuleTree(file));
    return;
  }
  bool is_self = self.kind != ValueKind::kUnknown;
  for (const Parameter& parameter : tree->parameters) {
    Value value;
    if (is_self) {
      value = self;
    } else if (parameter.annotation != nullptr) {
      value = ValueOfAnnotation(file, *parameter.annotation);
    }
    is_self = false;
    flow.Bind(parameter.name, value);
  }
  flow.RunBody(tree->body);
}

}  // namespace shapewise
