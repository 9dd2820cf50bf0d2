// Sources of symbols and relations, as they are printed.

#ifndef SHAPEWISE_DYNAMO_GUARDED_SOURCE_H_
#define SHAPEWISE_DYNAMO_GUARDED_SOURCE_H_

#include <cstdint>
#include <string_view>

namespace shapewise {

/// What a symbol or relation is about.
struct SplitSource {
  enum class Property : uint8_t { kValue, kSize, kStride, kStorageOffset };
  std::string_view source;  ///< "L['x']" of "L['x'].size()[0]"
  Property property = Property::kValue;
  int32_t dim = -1;
};

/// Takes "L['x'].size()[0]", "L['x'].stride()[1]", "L['x'].storage_offset()" or "L['n']" apart.
SplitSource SplitSizeSource(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_GUARDED_SOURCE_H_
