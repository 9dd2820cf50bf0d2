#include "support/decoding_chain.h"
#include "support/text_scan.h"

#include <algorithm>
#include <cstring>

namespace shapewise {
void LineSplitter::Append(std::string_view bytes) {
  totals_.bytes += bytes.size();
  while (!bytes.empty()) {
    if (kept_.empty()) {
      kept_ = bytes.substr(HandOn(bytes));
      return;
    }
    // Only an interrupted line is copied, up to its newline or the length limit.
    const std::string_view head = bytes.substr(0, kMaxLineBytes + 1 - kept_.size());
    const size_t newline = head.find('\n');
    const size_t taken = newline == std::string_view::npos ? head.size() : newline + 1;
    kept_.append(head, 0, taken);
    bytes.remove_prefix(taken);
    if (newline != std::string_view::npos || kept_.size() > kMaxLineBytes) {
      kept_.erase(0, HandOn(kept_));
    }
  }
}

size_t LineSplitter::HandOn(std::string_view bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    // The maximum length of a line, and its newline.
    const std::string_view window = bytes.substr(done, kMaxLineBytes + 1);
    if (!is_in_long_line_) {
      const void* last_newline = ::memrchr(window.data(), '\n', window.size());
      if (last_newline != nullptr) {
        const size_t size = static_cast<const char*>(last_newline) - window.data() + 1;
        const std::string_view lines = window.substr(0, size);
        const uint64_t first_line = totals_.lines + 1;
        totals_.lines += CountNewlines(lines);
        sink_.OnLines(lines, first_line);
        done += size;
        continue;
      }
      if (window.size() <= kMaxLineBytes) break;
      is_in_long_line_ = true;
      is_first_piece_ = true;
      stats_.Bump(Stat::line_very_long, input_, totals_.lines + 1);
    }
    const size_t newline = window.find('\n');
    if (newline != std::string_view::npos) {
      HandOnPiece(window.substr(0, newline), /*is_last=*/true);
      ++totals_.lines;
      done += newline + 1;
    } else {
      if (window.size() <= kMaxLineBytes) break;
      done += HandOnPiece(window.substr(0, kMaxLineBytes), /*is_last=*/false);
    }
  }
  return done;
}

size_t LineSplitter::HandOnPiece(std::string_view piece, bool is_last) {
  const size_t dealt_with = sink_.OnPiece(piece, totals_.lines + 1, is_first_piece_, is_last);
  is_first_piece_ = false;
  is_in_long_line_ = !is_last;
  // A sink that consumes too little would never finish.
  return std::clamp(dealt_with, piece.size() - piece.size() / 2, piece.size());
}

void LineSplitter::Finish() {
  // For a long line some bytes are always left: a piece is only passed on when another byte
  // follows.
  if (kept_.empty()) return;
  const uint64_t line = totals_.lines + 1;
  if (is_in_long_line_) {
    HandOnPiece(kept_, /*is_last=*/true);
  } else {
    sink_.OnLines(kept_, line);
  }
  totals_.lines = line;
  stats_.Bump(Stat::line_cut_at_end, input_, line);
}

}  // namespace shapewise
