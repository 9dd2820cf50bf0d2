#include "shapewise/ingest/live_input.h"

#include "ingest/sniffing_sink.h"
#include "support/decoding_chain.h"

namespace shapewise {

struct LiveInput::State {
  State(Session& session, uint32_t input, const ReadOptions& options)
      : sink(session, input, options), chain(sink, session.stats(), input) {}

  SniffingSink sink;
  DecodingChain chain;
};

LiveInput::LiveInput(const std::string& name, Session& session, const ReadOptions& options)
    : state_(std::make_unique<State>(session, session.AddInput(name), options)) {}
LiveInput::~LiveInput() = default;

void LiveInput::Append(std::string_view bytes) { state_->chain.Append(bytes); }

void LiveInput::ShowIn(Session& copy, bool with_open) const {
  state_->sink.ShowIn(copy, state_->chain.totals_so_far(), with_open);
}

void LiveInput::Finish() { state_->sink.Finish(state_->chain.Finish()); }

}  // namespace shapewise
