// Fuzzes the reader of pickles. The law: values refer to values, texts lie within the input, and
// nothing crashes, hangs or grows without bound.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ingest/formats/torchscript/pickle_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  shapewise::Expected<shapewise::Pickle> pickle = shapewise::ReadPickle(bytes);
  if (!pickle) {
    llvm::consumeError(pickle.takeError());
    return 0;
  }
  const size_t num_values = pickle->values.size();
  if (pickle->root >= num_values) std::abort();
  for (const shapewise::PickleValue& value : pickle->values) {
    for (const uint32_t item : value.items) {
      if (item >= num_values) std::abort();
    }
    if (value.state != UINT32_MAX && value.state >= num_values) std::abort();
    for (const std::string_view text : {value.text, value.module}) {
      const bool is_inside = text.empty() || (text.data() >= bytes.data() &&
                                              text.data() + text.size() <= bytes.data() + size);
      if (!is_inside) std::abort();
    }
  }
  shapewise::ForeignCall(*pickle);
  return 0;
}
