#include "dynamo/profile.h"

#include <algorithm>
#include <utility>

#include "dynamo/strides.h"
#include "llvm/ADT/SmallVector.h"

namespace shapewise {

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

}  // namespace shapewise
