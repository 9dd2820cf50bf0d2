// Names of guarded sources, in the one spelling that histories use.

#ifndef SHAPEWISE_DYNAMO_GUARDED_SOURCE_H_
#define SHAPEWISE_DYNAMO_GUARDED_SOURCE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace shapewise {

/// "L['x']" of "x", "L['self'].width" of "self.width", "L['cfg']['scale']" of "cfg['scale']":
/// releases from 2.7 print recompile reasons without the frame's L[...]. What is spelled in full
/// already, and what begins with no name, comes back as it is.
std::string FullSource(std::string_view source);

/// What a symbol or relation is about.
struct SizeSource {
  enum class Property : uint8_t { kValue, kSize, kStride, kStorageOffset };
  std::string_view source;  ///< "L['x']" of "L['x'].size()[0]"
  Property property = Property::kValue;
  int32_t dim = -1;
};

/// Takes "L['x'].size()[0]", "L['x'].stride()[1]", "L['x'].storage_offset()" or "L['n']" apart.
SizeSource SplitSizeSource(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_GUARDED_SOURCE_H_
