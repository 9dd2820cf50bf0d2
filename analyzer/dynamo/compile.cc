#include "dynamo/compile.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "model/source_ref.h"

namespace shapewise {
namespace {

using Kind = CallValue::Kind;

/// The state of one compile.
class Tracer {
 public:
  Tracer(const CompileRequest& request, CallInputs& inputs)
      : request_(request),
        inputs_(inputs),
        body_(inputs.body().frames[request.frame]),
        policy_(request.policy),
        symbols_(request.policy.policy) {}

  CompileResult Run() {
    if (body_.knowledge == BodyKnowledge::kUnknown) {
      if (!request_.assume_no_questions) {
        return Undecided(body_.unknown_because.empty() ? "the body is not known"
                                                       : body_.unknown_because);
      }
      result_.made_assumption = true;
    }
    result_.entry = std::make_unique<CacheEntry>();
    CacheEntry& entry = *result_.entry;
    entry.signature = request_.signature;
    entry.state = inputs_.StateOf(request_.signature);
    for (uint32_t input = 0; input < request_.row.size(); ++input) {
      if (SymbolError error = AddInput(input)) return Raised(error);
    }
    entry.symbols = symbols_.symbols();
    entry.has_symbols |= !entry.symbols.empty();

    const bool is_fullgraph = policy_.policy.fullgraph;
    if (is_fullgraph && IsBroken() && body_.breaks_on_data) {
      return Undecided("what fullgraph makes of values that depend on data is not known");
    }
    if (is_fullgraph && IsBroken()) return Raised("Unsupported");
    uint32_t graphs = body_.graphs;
    if (body_.knowledge == BodyKnowledge::kObserved) {
      if (std::string why = FindPath(); !why.empty()) {
        if (!request_.assume_no_questions) return Undecided(std::move(why));
        result_.made_assumption = true;
      } else if (choice_.path && *choice_.path < body_.paths.size()) {
        const BodyPath& path = body_.paths[*choice_.path];
        graphs = path.graphs;
        if (path.static_graphs && !entry.has_symbols) {
          graphs = *path.static_graphs;
        } else if (path.static_graphs && !std::ranges::all_of(path.symbols, [&](const auto& name) {
                     return IsSymbol(name);
                   })) {
          return Undecided("whether its graph has operators for these symbols is not known");
        }
      }
    }
    if (graphs == 0 && body_.resumes.empty() && !body_.keeps_entry) {
      if (is_fullgraph) return Undecided("whether fullgraph=True gives it a graph is not known");
      result_.outcome = CompileResult::Outcome::kEmptyGraph;
      return std::move(result_);
    }
    if (const char* why = AddQuestions()) {
      if (!request_.assume_no_questions) return Undecided(why);
      result_.made_assumption = true;
    }
    result_.graphs = graphs;
    return Finish();
  }

 private:
  CompileResult Undecided(std::string why) {
    result_.outcome = CompileResult::Outcome::kUndecided;
    result_.why = std::move(why);
    result_.entry.reset();
    return std::move(result_);
  }

  CompileResult Raised(std::string error) {
    result_.outcome = CompileResult::Outcome::kError;
    result_.error = std::move(error);
    result_.entry.reset();
    return std::move(result_);
  }

  /// Whether the size or int that guards call `name` is a symbol.
  bool IsSymbol(const std::string& name) {
    const CallInputs::Place& place =
        inputs_.PlaceOf(inputs_.body().pool->Symbol(name), request_.frame);
    const InputGuard* const guard = result_.entry->GuardOf(place.input);
    if (guard != nullptr && guard->test == InputGuard::Test::kSymbolicFloat) return true;
    const std::optional<SizeTerm> term = result_.entry->TermAt(place);
    return term && !term->IsConstant();
  }

  bool IsBroken() const { return !body_.resumes.empty() || body_.goes_on; }

  /// The profile of input `input` after it saw `seen`.
  SourceProfile& Record(uint32_t input, SourceProfile seen) {
    SourceProfile& profile = request_.profile[input];
    if (policy_.IsAutomatic()) {
      profile.Merge(seen);
    } else {
      profile = std::move(seen);
    }
    return profile;
  }

  SymbolError AddInput(uint32_t input) {
    const FrameInput& source = inputs_.InputsOf(request_.frame)[input];
    const InputValue& value = request_.row[input];
    if (value.value.kind == Kind::kAbsent) return nullptr;
    InputGuard guard;
    guard.input = input;
    guard.constant = value.value;
    if (value.value.kind == Kind::kUnknown) {
      guard.test = InputGuard::Test::kUnknowable;
      result_.entry->is_uncertain_itself = true;
    } else if (source.use == SourceUse::kUnknown ||
               (body_.knowledge == BodyKnowledge::kSizeQuestions && value.tensor == nullptr)) {
      guard.test = InputGuard::Test::kUncertain;
      guard.compiled_for = value.tensor;
    } else if (value.tensor != nullptr) {
      return AddTensor(source, *value.tensor, std::move(guard));
    } else if (value.value.kind == Kind::kInt) {
      AddInt(source, guard);
    } else if (value.value.kind == Kind::kFloat) {
      AddFloat(source, guard);
    }
    result_.entry->guards.push_back(std::move(guard));
    return nullptr;
  }

  SymbolError AddTensor(const FrameInput& source, const InputTensor& tensor, InputGuard guard) {
    std::vector<InputGuard>& guards = result_.entry->guards;
    if (tensor.object != 0) {
      const auto same = std::ranges::find_if(guards, [&](const InputGuard& other) {
        return other.test == InputGuard::Test::kTensor && other.tensor.object == tensor.object;
      });
      if (same != guards.end()) {
        guard.test = InputGuard::Test::kSameTensor;
        guard.other = same->input;
        guards.push_back(std::move(guard));
        return nullptr;
      }
    }
    guard.test = InputGuard::Test::kTensor;
    guard.tensor = tensor;
    if (request_.frame == 0) guard.compiled_for = &tensor;
    const bool is_static = (source.use == SourceUse::kStaticTensor || tensor.is_parameter) &&
                           policy_.policy.force_parameter_static_shapes &&
                           !policy_.dynamic_sources.Names(source.name);
    if (is_static) {
      guard.symbolic = SymbolTable::Static(tensor);
      guards.push_back(std::move(guard));
      return nullptr;
    }

    SourceProfile& profile =
        Record(guard.input, SourceProfile::OfTensor(tensor.sizes, tensor.strides));
    // A graph break makes Dynamo start over, and it then sees the same sizes a second time.
    if (IsBroken()) {
      Record(guard.input, SourceProfile::OfTensor(tensor.sizes, tensor.strides));
    }
    std::vector<DimPlan> plans;
    for (size_t dim = 0; dim < tensor.sizes.size(); ++dim) {
      plans.push_back(
          PlanDim(policy_, source.name, tensor, dim, IsSeeded(guard.input, dim), profile));
      if (plans.back().has_half_range) return "AssertionError";
      const DimDemand demand = plans.back().demand;
      if (demand == DimDemand::kHard || demand == DimDemand::kRange) {
        demands_.push_back({.guard = guards.size(), .dim = dim, .plan = plans.back()});
      }
    }
    if (SymbolError error = symbols_.Add(tensor, plans, guard.symbolic)) return error;
    AddExclusion(profile, guard.symbolic);
    guards.push_back(std::move(guard));
    return nullptr;
  }

  bool IsSeeded(uint32_t input, size_t dim) const {
    if (input >= request_.seeded.size()) return false;
    const std::vector<bool>& dims = request_.seeded[input].dims;
    return dim < dims.size() && dims[dim];
  }

  void AddExclusion(const SourceProfile& profile, const SymbolicTensor& tensor) {
    const llvm::ArrayRef<std::optional<int64_t>> sizes = profile.excluded_sizes();
    if (sizes.size() != tensor.sizes.size()) return;
    for (size_t dim = 0; dim < sizes.size(); ++dim) {
      if (!sizes[dim] || tensor.sizes[dim].IsConstant()) continue;
      Exclude(tensor.sizes[dim].symbols.front(), *sizes[dim]);
    }
  }

  void Exclude(uint32_t symbol, int64_t value) {
    if (policy_.policy.automatic_dynamic_exclusion_guard) {
      result_.entry->excluded.emplace_back(symbol, value);
    }
  }

  void AddInt(const FrameInput& source, InputGuard& guard) {
    if (source.use == SourceUse::kConstant) return;
    const bool is_listed = policy_.dynamic_sources.Names(source.name);
    const bool is_unbacked = !is_listed && policy_.unbacked_sources.Names(source.name);
    if (!is_listed && !is_unbacked && policy_.policy.specialize_int) return;
    const SourceProfile& profile = Record(guard.input, SourceProfile::OfScalar(guard.constant));
    const bool is_seeded =
        guard.input < request_.seeded.size() && request_.seeded[guard.input].value;
    DimChoice choice = DimChoice::kStatic;
    if (is_listed) {
      choice = DimChoice::kDynamic;
    } else if (is_unbacked) {
      choice = DimChoice::kUnbacked;
    } else if (policy_.IsAutomatic() && profile.IsScalarDynamic()) {
      choice = policy_.AutomaticChoice();
    } else if (is_seeded || !policy_.IsStaticByDefault()) {
      choice = DimChoice::kDynamic;
    }
    if (choice == DimChoice::kStatic) return;
    guard.test = InputGuard::Test::kSymbolicInt;
    guard.symbol = symbols_.AddInt(guard.constant.integer, choice == DimChoice::kUnbacked);
    if (const std::optional<int64_t> excluded = profile.excluded_scalar()) {
      Exclude(guard.symbol, *excluded);
    }
  }

  void AddFloat(const FrameInput& source, InputGuard& guard) {
    if (source.use == SourceUse::kConstant || policy_.policy.specialize_float) return;
    const SourceProfile& profile = Record(guard.input, SourceProfile::OfScalar(guard.constant));
    if (!std::isfinite(guard.constant.number)) return;
    if (policy_.IsStaticByDefault() && !profile.IsScalarDynamic()) return;
    guard.test = InputGuard::Test::kSymbolicFloat;
    result_.entry->has_symbols = true;
  }

  /// Chooses among the ways through the body that were traced. Returns what is not known, or
  /// nothing.
  std::string FindPath() {
    choice_ = ChoosePath(*result_.entry, request_.frame, request_.row, inputs_);
    for (const SpecializedSize& specialized : body_.specialized) {
      const std::optional<int64_t> value =
          inputs_.Evaluate(specialized.symbol, request_.frame, request_.row);
      if (value && *value <= 0)
        return "what the body does for a constant of 0 or less is not known";
    }
    if (choice_.path || choice_.are_operators_known) return {};
    return "the way that the body takes for these inputs was not traced" +
           (choice_.mismatch.empty() ? "" : ": " + choice_.mismatch + " where it was traced");
  }

  /// Adds the questions that the body asks on the path of this call. Returns what is unknown, or
  /// null.
  const char* AddQuestions() {
    CacheEntry& entry = *result_.entry;
    entry.is_uncertain_itself |= body_.changes_own_guards;
    const bool has_unbacked = std::ranges::any_of(
        entry.symbols, [](const SizeSymbol& symbol) { return symbol.is_unbacked; });
    // Without symbols every size is guarded with its value, so questions do not matter.
    if (!entry.has_symbols) return nullptr;
    switch (body_.knowledge) {
      case BodyKnowledge::kUnknown:
        return "the body is not known";
      case BodyKnowledge::kNoQuestion:
        return nullptr;
      case BodyKnowledge::kSizeQuestions:
        if (!demands_.empty()) return "what the body asks of a marked size is not known";
        if (has_unbacked) return "what the body asks of an unbacked size is not known";
        if (HasSymbolBelowTwo()) return "what the body asks of a size of 0 or 1 is not known";
        LeaveOpen();
        return nullptr;
      case BodyKnowledge::kEqualities:
        if (has_unbacked) return "what an unbacked size is compared with is not known";
        if (HasSymbolBelowTwo()) return "what a size of 0 or 1 is compared with is not known";
        entry.equalities = EqualityPattern(request_.row);
        return nullptr;
      case BodyKnowledge::kObserved:
        return AddObserved(has_unbacked);
    }
    return nullptr;
  }

  /// Which calls the entry serves besides its own is unknown. Under the assumption, it serves all
  /// that its guards accept.
  void LeaveOpen() {
    result_.entry->is_uncertain_elsewhere = !request_.assume_no_questions;
    result_.made_assumption |= request_.assume_no_questions;
  }

  bool HasSymbolBelowTwo() const {
    return policy_.policy.backed_size_oblivious &&
           std::ranges::any_of(result_.entry->symbols,
                               [](const SizeSymbol& symbol) { return symbol.hint < 2; });
  }

  bool AsksEqualitiesOnly() const {
    return std::ranges::all_of(body_.questions, [&](const BodyQuestion& question) {
      return inputs_.body().pool->kind(question.predicate) == ExprKind::kEqual;
    });
  }

  const char* AddObserved(bool has_unbacked) {
    CacheEntry& entry = *result_.entry;
    if (!body_.questions.empty() || !body_.specialized.empty()) {
      if (has_unbacked) return "what the body asks of an unbacked size is not known";
      if (HasSymbolBelowTwo()) return "what the body asks of a size of 0 or 1 is not known";
      // Operators then ask the same questions as for unbacked sizes.
      if (policy_.policy.backed_size_oblivious && !AsksEqualitiesOnly()) {
        return "what the body asks of oblivious sizes is not known";
      }
    }
    for (const SpecializedSize& specialized : body_.specialized) {
      const std::optional<int64_t> value =
          inputs_.Evaluate(specialized.symbol, request_.frame, request_.row);
      if (value) entry.specialized.emplace_back(specialized.symbol, *value);
    }
    if (!choice_.path) {
      // It is unknown which of the questions are asked on this path, and whether there are more.
      LeaveOpen();
      return demands_.empty() ? nullptr : "what the body asks of a marked dim is not known here";
    }
    if (HasMarkWithoutSymbol(*choice_.path)) {
      return "what the body asks of a marked size is not known: all calls have the same";
    }
    const std::string& explored = body_.explored[*choice_.path];
    for (size_t i = 0; i < explored.size(); ++i) {
      if (explored[i] == '-') continue;
      entry.questions.push_back(
          {.predicate = body_.questions[i].predicate, .answer = choice_.answers[i] == '1'});
    }
    return nullptr;
  }

  /// Whether a hard mark is on a size that was a constant when the path was traced.
  bool HasMarkWithoutSymbol(size_t path) const {
    if (path >= body_.paths.size()) return false;
    return std::ranges::any_of(demands_, [&](const DimDemanded& demanded) {
      const InputGuard& guard = result_.entry->guards[demanded.guard];
      if (guard.symbolic.sizes[demanded.dim].IsConstant()) return false;  // 0 or 1
      const std::string size = PropertyText(inputs_.InputsOf(request_.frame)[guard.input].name,
                                            SourceRef::Property::kSize, demanded.dim);
      return std::ranges::any_of(body_.paths[path].constants, [&](const BodyConstant& constant) {
        return constant.source == size;
      });
    });
  }

  CompileResult Finish() {
    CacheEntry& entry = *result_.entry;
    const bool asks_unknown_equalities = !entry.equalities.empty();
    switch (CheckDemands(entry, demands_, request_.frame, request_.row, asks_unknown_equalities,
                         inputs_)) {
      case DemandVerdict::kMet:
        break;
      case DemandVerdict::kViolated:
        return Raised("ConstraintViolationError");
      case DemandVerdict::kUndecided:
        if (!request_.assume_no_questions) {
          return Undecided(
              "a marked dim may be tied to another size, or to one value by several guards");
        }
        result_.made_assumption = true;
    }
    // Drop an exclusion that the call itself would fail.
    const bool is_excluded = std::ranges::all_of(entry.excluded, [&](const auto& pair) {
      return entry.symbols[pair.first].hint == pair.second;
    });
    if (is_excluded) entry.excluded.clear();
    // Only unbacked symbols can have a range that does not contain their own value.
    const bool fails_itself = std::ranges::any_of(entry.symbols, [](const SizeSymbol& symbol) {
      return symbol.is_unbacked && ((symbol.range.lower && symbol.hint < *symbol.range.lower) ||
                                    (symbol.range.upper && symbol.hint > *symbol.range.upper));
    });
    if (fails_itself) return Raised("AssertionError");
    return std::move(result_);
  }

  const CompileRequest& request_;
  CallInputs& inputs_;
  const BodyFrame& body_;
  const ReadPolicy& policy_;
  SymbolTable symbols_;
  std::vector<DimDemanded> demands_;
  PathChoice choice_;
  CompileResult result_;
};

}  // namespace

CompileResult Compile(const CompileRequest& request, CallInputs& inputs) {
  return Tracer(request, inputs).Run();
}

}  // namespace shapewise
