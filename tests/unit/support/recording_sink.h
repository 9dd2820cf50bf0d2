// A sink that records its input in a form that does not depend on how the bytes were split.

#ifndef SHAPEWISE_TESTS_UNIT_SUPPORT_RECORDING_SINK_H_
#define SHAPEWISE_TESTS_UNIT_SUPPORT_RECORDING_SINK_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/text_input.h"

namespace shapewise {

struct RecordingSink : LineSink {
  struct Event {
    bool operator==(const Event&) const = default;

    uint64_t line;
    std::string text;  // of a line with its '\n'
    bool is_piece = false;
    bool is_first = false;
    bool is_last = false;
  };

  void OnLines(std::string_view lines, uint64_t first_line) override {
    has_empty_call |= lines.empty();
    while (!lines.empty()) {
      const size_t newline = lines.find('\n');
      const size_t size = newline == std::string_view::npos ? lines.size() : newline + 1;
      events.push_back({first_line++, std::string(lines.substr(0, size))});
      lines.remove_prefix(size);
    }
  }

  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override {
    events.push_back({line, std::string(piece), true, is_first, is_last});
    // Anything allowed, always the same for the same event.
    return piece.size() - events.size() * 99991 % (piece.size() / 2 + 1);
  }

  std::string Text() const {
    std::string text;
    for (const Event& event : events) text += event.text;
    return text;
  }

  std::vector<Event> events;
  bool has_empty_call = false;
};

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_UNIT_SUPPORT_RECORDING_SINK_H_
