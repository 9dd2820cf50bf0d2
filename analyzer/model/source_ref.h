// Sources: what guards, symbols and constraints refer to, as PyTorch prints it.
//
// The only parser and printer of these texts. Dynamo writes `L['x'].size()[0]`; reasons print
// `x.size()[0]` since 2.7; users write `self.layers[0].weight` for
// `L['self']._modules['layers']._modules['0']._parameters['weight']`.

#ifndef SHAPEWISE_MODEL_SOURCE_REF_H_
#define SHAPEWISE_MODEL_SOURCE_REF_H_

#include <concepts>
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

/// A parsed source. The views point into the parsed text.
struct SourceRef {
  enum class Root : uint8_t {
    kNone,       ///< the text is not a source
    kArgument,   ///< a local variable, usually an argument
    kSelf,       ///< `self`
    kGlobal,     ///< G['name']
    kTemporary,  ///< a variable that only Dynamo names: ___stack0, SYNTHETIC_LOCAL['x']
    kCall,       ///< a function of other sources: ___from_numpy(L['x'])
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
  std::string_view name;                  ///< of the variable, or of the called function
  llvm::SmallVector<SourceStep, 4> path;  ///< path to the object
  Property property = Property::kValue;
  int32_t dim = -1;  ///< for kSize and kStride; the index for kKey
  /// The object of the property: "L['x']"; the whole text if it is not a source.
  std::string_view object;

  /// Whether the property describes a tensor's layout: a size, stride or offset.
  bool IsLayout() const {
    return property == Property::kSize || property == Property::kStride ||
           property == Property::kStorageOffset;
  }
  /// Whether the path goes through a module: ._modules['layers'], ._parameters['weight'].
  bool HasMembers() const;
  /// Whether it is part of `self` or of another module.
  bool IsOfModule() const { return root == Root::kSelf || HasMembers(); }
  /// Whether it is the default value of a parameter: f.__defaults__[0].
  bool IsDefault() const;
  /// Whether it is an attribute of an object or module: L['self'].steps.
  bool IsAttribute() const {
    return !path.empty() && path.back().kind == SourceStep::Kind::kAttribute;
  }
  /// The last name of the path, or else the variable: "steps" for "L['self'].steps".
  std::string_view LastName() const;
};

/// The word of it in rules, such as "global"; empty for kNone.
std::string_view SourceRootName(SourceRef::Root root);

/// Parses `text`, which must be a single source. Linear in its length. The result points into it.
SourceRef ParseSource(std::string_view text);
template <std::same_as<std::string> Text>
SourceRef ParseSource(Text&& text) = delete;

/// The sources in the expression `text`, in order: "b.size()[0]" and "a.size()[0]" for "b.size()[0]
/// == a.size()[0]". At most `limit`.
std::vector<SourceRef> FindSources(std::string_view text, size_t limit);

/// Spellings of sources. All of them quote keys with '.
enum class SourceSpelling : uint8_t {
  kReason,  ///< as in reasons since 2.7: x, self._modules['a'], G['x']; `.shape[` becomes
            ///< `.size()[`
  kDynamo,  ///< as in Dynamo: L['x'], L['self']._modules['a'], G['x']
  kName,    ///< by user-visible names, for comparison: x, self.a, self.layers[0], G['x']
  kPython,  ///< as in user code: x, self.a, self.layers[0], step for G['step']
};

/// The expression `text` with its sources respelled. Linear in the length of `text`.
std::string SpellSources(std::string_view text, SourceSpelling spelling);

/// `text` with its sources in Dynamo's spelling.
inline std::string DynamoSource(std::string_view text) {
  return SpellSources(text, SourceSpelling::kDynamo);
}
/// `text` with its sources by user-visible names, for comparison.
inline std::string NameOfSource(std::string_view text) {
  return SpellSources(text, SourceSpelling::kName);
}

/// "x.size()[0]" for "x" and 0; `property` must have a dim.
std::string PropertyText(std::string_view object, SourceRef::Property property, size_t dim);

/// Whether a user can write `source` (spelled as kPython): not names that only Dynamo uses, such as
/// `f.__closure__[0].cell_contents`, slice bounds or properties, and no characters that a shell
/// changes between double quotes.
bool IsWritable(const SourceRef& source);

/// Whether the caller of the compiled function passes `source`: an argument or part of one, but not
/// part of a module.
bool IsCallersArgument(const SourceRef& source);

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_SOURCE_REF_H_
