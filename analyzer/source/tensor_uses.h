// What the code of a function does with its names that it can do with tensors alone.

#ifndef SHAPEWISE_SOURCE_TENSOR_USES_H_
#define SHAPEWISE_SOURCE_TENSOR_USES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"
#include "source/project.h"

namespace shapewise {

/// How sure it is that an unknown value is a tensor if the code uses it as one, in per cent.
inline constexpr uint8_t kUsedAsTensor = 80;

/// Whether of what code deals with only tensors have a method of this name: unsqueeze, detach.
bool IsMethodOfTensorsAlone(std::string_view name);

/// Names of a function; views into its text.
class NameSet {
 public:
  bool Has(std::string_view name) const { return names_.contains(llvm::StringRef(name)); }
  void Add(std::string_view name) { names_.insert(llvm::StringRef(name)); }
  void Add(const NameSet& other) { names_.insert(other.names_.begin(), other.names_.end()); }
  void Remove(const NameSet& other) {
    for (const llvm::StringRef name : other.names_) names_.erase(name);
  }

 private:
  llvm::SmallDenseSet<llvm::StringRef, 4> names_;
};

/// Reads functions once each. Not thread-safe.
class TensorUses {
 public:
  explicit TensorUses(Project& project) : project_(project) {}

  /// Names of `function` that it uses as tensors: `x.unsqueeze(0)`, `torch.exp(x)`, or that it
  /// hands to functions of the project which do. Names that it also calls, or uses as a list, a
  /// dict or a text, are not among them. Functions inside of it do not count.
  const NameSet& NamesIn(FileId file, const Stmt& function);
  /// Names that are no tensors although nothing says what they are: `function` counts to them,
  /// `range(n)`, chooses by them, `if n == 0: ... elif n == 1: ...`, or takes attributes of them
  /// that tensors do not have, `batch.edge_index`.
  const NameSet& NoTensorsIn(FileId file, const Stmt& function) {
    return UsesOf(file, function).no_tensors;
  }
  /// Names that no number has the items or attributes for: `row, col = x`, `x[0]`, `x.max()`.
  const NameSet& NoNumbersIn(FileId file, const Stmt& function) {
    return UsesOf(file, function).no_numbers;
  }

 private:
  friend class UseReader;

  /// A name that is an argument of a function of the project.
  struct Handed {
    std::string_view name;
    FunctionId to = kNoId;
    size_t position = 0;
  };

  /// What one function does with its names, as far as it says so itself.
  struct Uses {
    NameSet tensors;
    NameSet others;      ///< what is something else as well
    NameSet no_tensors;  ///< of those, what NoTensorsIn says
    NameSet no_numbers;
    std::vector<Handed> handed;
    std::optional<NameSet> all;  ///< with what other functions do; absent: not asked for yet
  };

  Uses& UsesOf(FileId file, const Stmt& function);
  /// Whether a function uses a parameter as a tensor, itself or `depth` calls further.
  bool UsesParameter(FunctionId id, size_t position, int depth);

  Project& project_;
  llvm::DenseMap<std::pair<FileId, const Stmt*>, std::unique_ptr<Uses>> known_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_TENSOR_USES_H_
