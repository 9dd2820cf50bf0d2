#include "dynamo/symbols.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "dynamo/strides.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Regex.h"

namespace shapewise {
namespace {

/// Converts a Python regular expression to a POSIX one, as far as names of sources need it.
std::string ToPosix(std::string_view pattern) {
  std::string result = "^(";
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (pattern[i] == '\\' && next == 'd') {
      result += "[0-9]";
      ++i;
    } else if (pattern[i] == '\\' && next == 'w') {
      result += "[A-Za-z0-9_]";
      ++i;
    } else if (pattern[i] == '\\' && next != '\0') {
      result += pattern.substr(i, 2);
      ++i;
    } else if (pattern.substr(i, 3) == "(?:") {
      result += '(';
      i += 2;
    } else {
      result += pattern[i];
    }
  }
  return result + ")";
}

SizeTerm Constant(int64_t value) { return {.coefficient = value, .symbols = {}}; }

SizeTerm Product(const SizeTerm& a, const SizeTerm& b) {
  SizeTerm product = a;
  product.coefficient = WrappedProduct(a.coefficient, b.coefficient);
  product.symbols.append(b.symbols.begin(), b.symbols.end());
  return product;
}

bool IsZeroOrOne(int64_t value) { return value == 0 || value == 1; }

}  // namespace

ProfileAtom ProfileAtom::Number(double value) {
  ProfileAtom atom(State::kNumber, 0);
  atom.number_ = value;
  return atom;
}

std::optional<int64_t> ProfileAtom::AsInteger() const {
  if (state_ == State::kInteger) return integer_;
  return std::nullopt;
}

bool ProfileAtom::Equals(const ProfileAtom& other) const {
  const auto number = [](const ProfileAtom& atom) {
    return atom.state_ == State::kNumber ? atom.number_ : static_cast<double>(atom.integer_);
  };
  const bool has_number = state_ == State::kNumber || other.state_ == State::kNumber;
  const bool has_inferred = state_ == State::kInferred || other.state_ == State::kInferred;
  if (has_number && !has_inferred) return number(*this) == number(other);
  return state_ == other.state_ && integer_ == other.integer_;
}

void ProfileAtom::Merge(const ProfileAtom& other) {
  if (other.IsUnset()) return;
  if (IsUnset()) {
    *this = other;
  } else if (IsDynamic() || other.IsDynamic() || !Equals(other)) {
    *this = Dynamic();
  }
}

bool ProfileDims::IsDynamic(size_t dim) const {
  if (state_ == State::kTuple) return dim < atoms_.size() && atoms_[dim].IsDynamic();
  return state_ == State::kDynamic;
}

bool ProfileDims::Merge(const ProfileDims& other) {
  if (other.state_ == State::kUnset || state_ == State::kDynamic) return false;
  if (state_ == State::kUnset) {
    *this = other;
    return true;
  }
  if (other.state_ == State::kDynamic || atoms_.size() != other.atoms_.size()) {
    *this = Dynamic();
    return true;
  }
  bool has_changed = false;
  for (size_t dim = 0; dim < atoms_.size(); ++dim) {
    if (atoms_[dim].IsDynamic()) continue;
    atoms_[dim].Merge(other.atoms_[dim]);
    has_changed |= atoms_[dim].IsDynamic();
  }
  return has_changed;
}

SourceProfile SourceProfile::OfScalar(const CallValue& value) {
  SourceProfile profile;
  profile.scalar_ = value.kind == CallValue::Kind::kFloat ? ProfileAtom::Number(value.number)
                                                          : ProfileAtom::Integer(value.integer);
  profile.sizes_ = ProfileDims::Dynamic();
  profile.strides_ = ProfileDims::Dynamic();
  return profile;
}

SourceProfile SourceProfile::OfTensor(llvm::ArrayRef<int64_t> sizes,
                                      llvm::ArrayRef<int64_t> strides) {
  SourceProfile profile;
  profile.scalar_ = ProfileAtom::Dynamic();
  std::vector<ProfileAtom> size_atoms;
  for (const int64_t size : sizes) size_atoms.push_back(ProfileAtom::Integer(size));
  profile.sizes_ = ProfileDims(std::move(size_atoms));

  std::vector<ProfileAtom> stride_atoms(strides.size());
  llvm::SmallVector<std::pair<int64_t, size_t>, 8> candidates;
  for (const size_t dim : DimsByStride(strides)) {
    const auto* const found = std::ranges::find_if(
        candidates,
        [&](const std::pair<int64_t, size_t>& entry) { return entry.first == strides[dim]; });
    stride_atoms[dim] = found == candidates.end() ? ProfileAtom::Integer(strides[dim])
                                                  : ProfileAtom::Inferred(found->second);
    // The first candidate for a value stays; later ones are appended after it.
    candidates.emplace_back(WrappedProduct(strides[dim], sizes[dim]), dim);
  }
  profile.strides_ = ProfileDims(std::move(stride_atoms));
  return profile;
}

void SourceProfile::Merge(const SourceProfile& other) {
  std::vector<std::optional<int64_t>> sizes_before;
  for (const ProfileAtom& atom : sizes_.atoms()) sizes_before.push_back(atom.AsInteger());
  const bool was_tuple = sizes_.IsTuple();
  const bool has_changed = sizes_.Merge(other.sizes_);
  if (was_tuple) {
    excluded_sizes_ = has_changed ? std::move(sizes_before) : std::vector<std::optional<int64_t>>();
  }

  const std::optional<int64_t> scalar_before = scalar_.AsInteger();
  const std::optional<int64_t> scalar_other = other.scalar_.AsInteger();
  if (scalar_before && scalar_other && *scalar_before != *scalar_other) {
    excluded_scalar_ = scalar_before;
  } else if (scalar_.IsDynamic()) {
    excluded_scalar_.reset();
  }
  scalar_.Merge(other.scalar_);
  strides_.Merge(other.strides_);
}

void SourceProfile::MarkDynamic(size_t dim, size_t rank) {
  std::vector<ProfileAtom> atoms(rank);
  atoms[dim] = ProfileAtom::Dynamic();
  SourceProfile mark;
  mark.sizes_ = ProfileDims(std::move(atoms));
  Merge(mark);
}

bool SourceProfile::IsStrideDynamic(size_t dim) const {
  if (!sizes_.IsTuple()) return false;
  const auto is_concrete = [](const ProfileAtom& atom) { return atom.AsInteger().has_value(); };
  if (!std::ranges::all_of(sizes_.atoms(), is_concrete)) return false;
  return strides_.IsDynamic(dim);
}

SourceList::SourceList(std::string_view text) {
  std::string without_spaces(text);
  std::erase(without_spaces, ' ');
  llvm::SmallVector<llvm::StringRef, 4> entries;
  llvm::StringRef(without_spaces).split(entries, ',', -1, /*KeepEmpty=*/false);
  for (const llvm::StringRef entry : entries) {
    Pattern pattern{.text = entry.str(), .dim = std::nullopt};
    const auto [name, number] = entry.rsplit(':');
    size_t dim = 0;
    if (!name.empty() && !number.empty() && !number.getAsInteger(10, dim)) {
      pattern = {.text = name.str(), .dim = dim};
    }
    patterns_.push_back(std::move(pattern));
  }
}

bool SourceList::Matches(const Pattern& pattern, std::string_view source) {
  if (pattern.text == source) return true;
  const llvm::Regex regex(ToPosix(pattern.text));
  return regex.isValid() && regex.match(llvm::StringRef(source.data(), source.size()));
}

bool SourceList::Names(std::string_view source) const {
  return std::ranges::any_of(patterns_,
                             [&](const Pattern& pattern) { return Matches(pattern, source); });
}

bool SourceList::NamesDim(std::string_view source, size_t dim) const {
  return std::ranges::any_of(patterns_, [&](const Pattern& pattern) {
    return (!pattern.dim || *pattern.dim == dim) && Matches(pattern, source);
  });
}

ReadPolicy::ReadPolicy(const CompilePolicy& given)
    : policy(given),
      dynamic_sources(given.dynamic_sources),
      unbacked_sources(given.unbacked_sources) {}

bool ReadPolicy::IsAutomatic() const {
  return policy.automatic_dynamic_shapes && policy.dynamic != DynamicOption::kFalse;
}

DimPlan PlanDim(const ReadPolicy& policy, std::string_view source, const InputTensor& tensor,
                size_t dim, bool seeded, SourceProfile& profile) {
  const auto has_mark = [&](MarkKind kind) {
    return tensor.marks != nullptr && tensor.marks->Has(kind, dim);
  };
  const bool is_marked = has_mark(MarkKind::kDynamic);
  if (is_marked || seeded) profile.MarkDynamic(dim, tensor.sizes.size());

  const bool is_unbacked_source = policy.unbacked_sources.NamesDim(source, dim);
  const bool is_size_automatic = (policy.IsAutomatic() && profile.IsSizeDynamic(dim)) ||
                                 policy.dynamic_sources.NamesDim(source, dim) || is_unbacked_source;
  const bool is_stride_automatic = policy.IsAutomatic() && profile.IsStrideDynamic(dim);
  const bool is_automatic = is_size_automatic || is_stride_automatic;

  DimPlan plan;
  if (is_marked && !policy.policy.allow_ignore_mark_dynamic) {
    const DimMark& mark = *tensor.marks->Find(MarkKind::kDynamic, dim);
    plan.demand = mark.min || mark.max ? DimDemand::kRange : DimDemand::kHard;
    plan.has_half_range = mark.min.has_value() != mark.max.has_value();
    plan.min = mark.min.value_or(0);
    plan.max = mark.max.value_or(0);
  } else if (!has_mark(MarkKind::kStatic) && is_automatic) {
    if (is_size_automatic) plan.demand = DimDemand::kSoft;
    plan.has_dynamic_stride = is_stride_automatic;
  }

  if (has_mark(MarkKind::kUnbacked) || is_unbacked_source) {
    plan.size = DimChoice::kUnbacked;
  } else if (plan.demand != DimDemand::kNone || is_marked || has_mark(MarkKind::kMaybe)) {
    plan.size = is_automatic ? policy.AutomaticChoice() : DimChoice::kDynamic;
  } else if (policy.IsStaticByDefault() || has_mark(MarkKind::kStatic)) {
    plan.size = DimChoice::kStatic;
  } else {
    plan.size = DimChoice::kDuck;
  }
  return plan;
}

int64_t SizeTerm::Evaluate(llvm::ArrayRef<int64_t> values) const {
  int64_t value = coefficient;
  for (const uint32_t symbol : symbols) value = WrappedProduct(value, values[symbol]);
  return value;
}

uint32_t SymbolTable::Make(int64_t hint, const Interval& range, bool is_unbacked) {
  symbols_.push_back({.hint = hint, .range = range, .is_unbacked = is_unbacked});
  return static_cast<uint32_t>(symbols_.size() - 1);
}

uint32_t SymbolTable::AddInt(int64_t value, bool is_unbacked) {
  Interval range;
  if (is_unbacked) range.lower = 0;
  return Make(value, range, is_unbacked);
}

SizeTerm SymbolTable::MakeBacked(int64_t value, bool may_duck, bool has_zero_one) {
  if (has_zero_one && IsZeroOrOne(value)) return Constant(value);
  const bool ducks = may_duck && policy_.use_duck_shape;
  SizeTerm term;
  if (ducks) {
    const auto found = ducks_.find(value);
    if (found != ducks_.end()) {
      term.symbols.push_back(found->second);
      return term;
    }
  }
  const uint32_t symbol = Make(value, {.lower = has_zero_one ? 2 : 0, .upper = {}}, false);
  if (ducks) ducks_[value] = symbol;
  term.symbols.push_back(symbol);
  return term;
}

SymbolError SymbolTable::MakeSize(int64_t value, const DimPlan& plan, const DimMark* bounds,
                                  SizeTerm& result) {
  const bool has_range = plan.demand == DimDemand::kRange;
  DimChoice choice = plan.size;
  bool is_demanded = plan.demand != DimDemand::kNone;
  if (has_range && plan.min == plan.max) {
    if (plan.min != value) return "ConstraintViolationError";
    choice = DimChoice::kStatic;
    is_demanded = false;
  }
  if (choice == DimChoice::kUnbacked) {
    Interval range{.lower = 0, .upper = {}};
    if (bounds != nullptr) {
      range.lower = std::max<int64_t>(0, bounds->min.value_or(0));
      range.upper = bounds->max;
    }
    result.symbols.push_back(Make(value, range, true));
    return nullptr;
  }
  if (choice == DimChoice::kStatic && !is_demanded) {
    result = Constant(value);
    return nullptr;
  }
  const bool may_duck = choice == DimChoice::kDuck && !is_demanded;
  result = MakeBacked(value, may_duck, !policy_.backed_size_oblivious);
  if (result.IsConstant() || !has_range || plan.min == plan.max) return nullptr;
  Interval& range = symbols_[result.symbols.front()].range;
  range.lower = std::max(*range.lower, plan.min);
  range.upper = plan.max;
  return range.Contains(value) ? nullptr : "ConstraintViolationError";
}

SymbolicTensor SymbolTable::Static(const InputTensor& tensor) {
  SymbolicTensor result;
  for (const int64_t size : tensor.sizes) result.sizes.push_back(Constant(size));
  for (size_t dim = 0; dim < tensor.strides.size(); ++dim) {
    result.strides.push_back({.dim = dim, .term = Constant(tensor.strides[dim])});
  }
  return result;
}

SymbolError SymbolTable::Add(const InputTensor& tensor, llvm::ArrayRef<DimPlan> plans,
                             SymbolicTensor& result) {
  const llvm::ArrayRef<int64_t> sizes = tensor.sizes;
  const llvm::ArrayRef<int64_t> strides = tensor.strides;
  const bool is_static = std::ranges::all_of(
      plans, [](const DimPlan& plan) { return plan.size == DimChoice::kStatic; });
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    const DimMark* bounds = nullptr;
    if (tensor.marks != nullptr) {
      for (const DimMark& bound : tensor.marks->bounds) {
        if (bound.dim == static_cast<int32_t>(dim)) bounds = &bound;
      }
    }
    result.sizes.emplace_back();
    if (SymbolError error = MakeSize(sizes[dim], plans[dim], bounds, result.sizes.back())) {
      return error;
    }
  }

  // A stride that is the product of a smaller one and its size is derived from them; ties go to the
  // last one.
  std::unordered_map<int64_t, SizeTerm> candidates;  // any number may be a key
  for (const size_t dim : DimsByStride(strides)) {
    const int64_t stride = strides[dim];
    const bool is_product =
        dim + 1 < sizes.size() && stride == WrappedProduct(sizes[dim + 1], strides[dim + 1]);
    const bool is_dynamic = plans[dim].has_dynamic_stride;
    SizeTerm term;
    if (IsZeroOrOne(stride) && !is_product) {
      term = Constant(stride);
    } else if (const auto found = candidates.find(stride);
               !is_dynamic && found != candidates.end()) {
      term = found->second;
    } else if (is_static && !is_dynamic) {
      term = Constant(stride);
    } else {
      term = MakeBacked(stride, /*may_duck=*/!is_dynamic, /*has_zero_one=*/true);
    }
    candidates[WrappedProduct(sizes[dim], stride)] = Product(result.sizes[dim], term);
    result.strides.push_back({.dim = dim, .term = std::move(term)});
  }
  result.offset =
      is_static ? Constant(tensor.storage_offset) : MakeBacked(tensor.storage_offset, true, true);
  return nullptr;
}

}  // namespace shapewise
