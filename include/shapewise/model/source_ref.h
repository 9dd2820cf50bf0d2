// Sources: what guards, symbols and constraints are about, as PyTorch prints it.
//
// The only reader and the only printer of these texts. Dynamo's own spelling is `L['x'].size()[0]`;
// reasons print `x.size()[0]` since 2.7; users write `self.layers[0].weight` for
// `L['self']._modules['layers']._modules['0']._parameters['weight']`.

#ifndef SHAPEWISE_MODEL_SOURCE_REF_H_
#define SHAPEWISE_MODEL_SOURCE_REF_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/SmallVector.h"

namespace shapewise {

/// One step from an object to a part of it.
struct SourceStep {
  enum class Kind : uint8_t {
    kAttribute,  ///< .name, .__dict__['name']
    kModule,     ///< ._modules['name']
    kTensor,     ///< ._parameters['name'], ._buffers['name']
    kKey,        ///< ['name']
    kIndex,      ///< [3], [-1]
    kCall,       ///< ()
    kOther,      ///< [any other expression]
  };
  Kind kind = Kind::kOther;
  std::string_view name;  ///< without quotes and brackets
};

/// A source taken apart. The views point into the text that was parsed.
struct SourceRef {
  enum class Root : uint8_t {
    kNone,       ///< the text is no source
    kArgument,   ///< a local variable, as a rule an argument
    kSelf,       ///< `self`
    kGlobal,     ///< G['name']
    kTemporary,  ///< a variable that only Dynamo has a name for: ___stack0, SYNTHETIC_LOCAL['x']
    kCall,       ///< a function around other sources: ___from_numpy(L['x'])
  };
  enum class Property : uint8_t {
    kValue,
    kSize,           ///< x.size()[0]
    kStride,         ///< x.stride()[0]
    kStorageOffset,  ///< x.storage_offset()
    kNumDims,        ///< x.dim(), x.ndimension()
    kLength,         ///< len(x)
    kKeys,           ///< list(dict.keys(x))
    kKey,            ///< list(dict.keys(x))[0]
    kType,           ///< type(x)
  };

  Root root = Root::kNone;
  std::string_view name;                  ///< of the variable, or of the function called
  llvm::SmallVector<SourceStep, 4> path;  ///< to the object
  Property property = Property::kValue;
  int32_t dim = -1;         ///< of kSize and kStride, or the index of kKey
  std::string_view object;  ///< whose property it is: "L['x']"; all of the text if it is no source

  /// Whether the property is a number of the tensor's layout: a size, stride or offset.
  bool IsLayout() const {
    return property == Property::kSize || property == Property::kStride ||
           property == Property::kStorageOffset;
  }
  /// Whether the path leads through a module: ._modules['layers'], ._parameters['weight'].
  bool HasMembers() const;
  /// Whether it is a part of `self` or of another module.
  bool IsOfModule() const { return root == Root::kSelf || HasMembers(); }
  /// The last name of the path, else the variable's: "steps" of "L['self'].steps".
  std::string_view LastName() const;
};

/// The word of it in rules, such as "global"; empty for kNone.
std::string_view SourceRootName(SourceRef::Root root);

/// Takes a source apart that is all of `text`. Linear in the length of `text`.
SourceRef ParseSource(std::string_view text);

/// The sources in the expression `text`, in order: "b.size()[0]" and "a.size()[0]" of
/// "b.size()[0] == a.size()[0]". At most `limit`.
std::vector<SourceRef> FindSources(std::string_view text, size_t limit);

/// How sources are spelled. Keys are quoted with ' in each.
enum class SourceSpelling : uint8_t {
  kReason,  ///< as reasons do since 2.7: x, self._modules['a'], G['x']; `.shape[` is `.size()[`
  kDynamo,  ///< as Dynamo names them: L['x'], L['self']._modules['a'], G['x']
  kName,    ///< as users do, for comparison: x, self.a, self.layers[0], G['x']
  kPython,  ///< as users write them: x, self.a, self.layers[0], step for G['step']
};

/// The expression `text` with its sources spelled so. All else stays as it is. Linear in the length
/// of `text`.
std::string SpellSources(std::string_view text, SourceSpelling spelling);

/// `text` with its sources as Dynamo names them.
inline std::string DynamoSource(std::string_view text) {
  return SpellSources(text, SourceSpelling::kDynamo);
}
/// `text` with its sources by the names that users know them by, for comparison.
inline std::string NameOfSource(std::string_view text) {
  return SpellSources(text, SourceSpelling::kName);
}

/// "x.size()[0]" of "x" and 0; `property` is one with a dim.
std::string PropertyText(std::string_view object, SourceRef::Property property, size_t dim);

/// Whether users can write `source`, spelled as kPython: not what only Dynamo has a name for, such
/// as `f.__closure__[0].cell_contents`, not the bounds of a slice, not a property, and nothing that
/// a shell changes between double quotes.
bool IsWritable(const SourceRef& source);

/// Whether the caller of the compiled function passes `source`: an argument or a part of it, but no
/// part of a module.
bool IsCallersArgument(const SourceRef& source);

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_SOURCE_REF_H_
