// What the code of a function does with its names that it can do with tensors alone.

#ifndef SHAPEWISE_SOURCE_TENSOR_USES_H_
#define SHAPEWISE_SOURCE_TENSOR_USES_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include "source/project.h"

namespace shapewise {

/// How sure it is that an unknown value is a tensor if the code uses it as one, in per cent.
inline constexpr uint8_t kUsedAsTensor = 80;

/// Whether of what code deals with only tensors have a method of this name: unsqueeze, detach.
bool IsMethodOfTensorsAlone(std::string_view name);

/// Reads functions once each. Not thread-safe.
class TensorUses {
 public:
  explicit TensorUses(Project& project) : project_(project) {}

  /// Whether `function` uses `name` as a tensor, `x.unsqueeze(0)`, `torch.exp(x)`, or hands it to
  /// functions of the project that do; not if it also calls it, or uses it as a list, a dict or a
  /// text. Functions inside of it do not count.
  bool IsTensor(FileId file, const Stmt& function, std::string_view name);
  /// Whether `name` is no tensor although nothing says what it is: `function` counts to it,
  /// `range(n)`, chooses by it, `if n == 0: ... elif n == 1: ...`, or takes attributes of it that
  /// tensors do not have, `batch.edge_index`.
  bool IsNoTensor(FileId file, const Stmt& function, std::string_view name) {
    return UsesOf(file, function).Has(name, Use::kNoTensor);
  }
  /// Whether no number has the items or attributes of `name`: `row, col = x`, `x[0]`, `x.max()`.
  bool IsNoNumber(FileId file, const Stmt& function, std::string_view name) {
    return UsesOf(file, function).Has(name, Use::kNoNumber);
  }

 private:
  friend class UseReader;

  /// What one function does with a name.
  enum class Use : uint8_t {
    kTensor = 1 << 0,
    kArray = 1 << 1,  ///< it is a tensor or an array
    kOther = 1 << 2,  ///< it is something else as well
    kNoTensor = 1 << 3,
    kNoNumber = 1 << 4,
    kHanded = 1 << 5,  ///< a function that it is handed to uses it as a tensor
  };

  /// A name that is an argument of a function of the project.
  struct Handed {
    std::string_view name;
    FunctionId to = kNoId;
    size_t position = 0;
  };

  /// What one function does with its names, as far as it says so itself.
  struct Uses {
    llvm::SmallDenseMap<llvm::StringRef, uint8_t, 8> names;  ///< bits of Use
    std::vector<Handed> handed;
    bool knows_handed = false;  ///< `names` contains kHanded

    bool Has(std::string_view name, Use use) const {
      return (names.lookup(llvm::StringRef(name)) & static_cast<uint8_t>(use)) != 0;
    }
    void Add(std::string_view name, Use use) {
      names[llvm::StringRef(name)] |= static_cast<uint8_t>(use);
    }
  };

  Uses& UsesOf(FileId file, const Stmt& function);
  /// Whether a function uses a parameter as a tensor, itself or `depth` calls further.
  bool UsesParameter(FunctionId id, size_t position, int depth);

  Project& project_;
  llvm::DenseMap<std::pair<FileId, const Stmt*>, std::unique_ptr<Uses>> known_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_TENSOR_USES_H_
