// Automatic dynamic shapes: what earlier compiles of a code object saw of each source.

#ifndef SHAPEWISE_DYNAMO_PROFILE_H_
#define SHAPEWISE_DYNAMO_PROFILE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "model/call_history.h"

namespace shapewise {

/// One element of the lattice: unset, then one value, then dynamic for good.
class ProfileAtom {
 public:
  static ProfileAtom Dynamic() { return ProfileAtom(State::kDynamic, 0); }
  static ProfileAtom Integer(int64_t value) { return ProfileAtom(State::kInteger, value); }
  static ProfileAtom Number(double value);
  /// A stride that equals size times stride of dim `dim`.
  static ProfileAtom Inferred(size_t dim) {
    return ProfileAtom(State::kInferred, static_cast<int64_t>(dim));
  }
  ProfileAtom() = default;

  bool IsUnset() const { return state_ == State::kUnset; }
  bool IsDynamic() const { return state_ == State::kDynamic; }
  /// The value, if it is one integer.
  std::optional<int64_t> AsInteger() const;
  /// Two different values make it dynamic; 3 and 3.0 are equal, nan differs from itself.
  void Merge(const ProfileAtom& other);

 private:
  enum class State : uint8_t { kUnset, kInteger, kNumber, kInferred, kDynamic };
  ProfileAtom(State state, int64_t integer) : state_(state), integer_(integer) {}
  bool Equals(const ProfileAtom& other) const;

  State state_ = State::kUnset;
  int64_t integer_ = 0;
  double number_ = 0;
};

/// A tuple of atoms, one per dim; as a whole it may be unset, or dynamic because ranks differed.
class ProfileDims {
 public:
  static ProfileDims Dynamic() {
    ProfileDims dims;
    dims.state_ = State::kDynamic;
    return dims;
  }
  explicit ProfileDims(std::vector<ProfileAtom> atoms)
      : state_(State::kTuple), atoms_(std::move(atoms)) {}
  ProfileDims() = default;

  bool IsDynamic(size_t dim) const;
  bool IsTuple() const { return state_ == State::kTuple; }
  llvm::ArrayRef<ProfileAtom> atoms() const { return atoms_; }
  /// Returns whether anything changed.
  bool Merge(const ProfileDims& other);

 private:
  enum class State : uint8_t { kUnset, kTuple, kDynamic };
  State state_ = State::kUnset;
  std::vector<ProfileAtom> atoms_;
};

/// The profile of one source. Source: FrameStateSizeEntry in torch/_dynamo/pgo.py.
class SourceProfile {
 public:
  static SourceProfile OfScalar(const CallValue& value);
  static SourceProfile OfTensor(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides);
  SourceProfile() = default;

  void Merge(const SourceProfile& other);
  /// What mark_dynamic writes.
  void MarkDynamic(size_t dim, size_t rank);

  bool IsScalarDynamic() const { return scalar_.IsDynamic(); }
  bool IsSizeDynamic(size_t dim) const { return sizes_.IsDynamic(dim); }
  /// Strides become dynamic only while every size still has one value.
  bool IsStrideDynamic(size_t dim) const;
  /// Sizes before the last compile that made one of them dynamic, which an exclusion guard rejects.
  /// Absent for dims that were dynamic already; empty if the last compile made none dynamic.
  llvm::ArrayRef<std::optional<int64_t>> excluded_sizes() const { return excluded_sizes_; }
  std::optional<int64_t> excluded_scalar() const { return excluded_scalar_; }

 private:
  ProfileAtom scalar_;
  ProfileDims sizes_;
  ProfileDims strides_;
  std::vector<std::optional<int64_t>> excluded_sizes_;
  std::optional<int64_t> excluded_scalar_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_PROFILE_H_
