#include "support/text_input.h"

#include "support/decoding_chain.h"

namespace shapewise {

TextTotals ReadChunks(const std::vector<std::string_view>& chunks, LineSink& sink, Stats& stats,
                      uint32_t input) {
  DecodingChain chain(sink, stats, input);
  for (const std::string_view chunk : chunks) chain.Append(chunk);
  return chain.Finish();
}

}  // namespace shapewise
