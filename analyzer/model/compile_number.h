// Compile ids: "0/1_2" is frame 0, its second compilation, third attempt; and what they imply about
// the cache entries of a function.

#ifndef SHAPEWISE_MODEL_COMPILE_NUMBER_H_
#define SHAPEWISE_MODEL_COMPILE_NUMBER_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/session.h"

namespace shapewise {

/// "0/1" of "0/1_2".
inline std::string_view WithoutAttempt(std::string_view id) { return id.substr(0, id.find('_')); }

/// The frame: "0" for "0/1_2", "!0/3" for "!0/3/1".
inline std::string_view FrameOf(std::string_view id) { return id.substr(0, id.rfind('/')); }

/// Whether `id` is a later compilation of its frame.
inline bool IsRecompile(std::string_view id) {
  id = WithoutAttempt(id);
  const size_t slash = id.rfind('/');
  return slash != std::string_view::npos && id.substr(slash + 1) != "0";
}

/// The frame and the index of its compilation: "0/1" and the restarted attempt "0/1_2" are the
/// same. Frames are numbered across a process, also under compiled autograd, so that "!0/3/0" and
/// "!1/3/1" are two compilations of frame 3 (torch/_guards.py, CompileId).
struct CompileNumber {
  uint32_t frame = 0;
  uint32_t compile = 0;

  friend auto operator<=>(const CompileNumber&, const CompileNumber&) = default;
};

/// Parses "0/1", "0/1_2" or "!0/3/0" (under compiled autograd); absent for anything else, such as
/// the "!1" of compiled autograd itself.
std::optional<CompileNumber> ParseCompileNumber(std::string_view compile_id);

/// "3" for frame 3; empty where none is known.
std::string FrameText(std::optional<uint32_t> frame);

/// How often the compilation had been restarted: 2 of "0/1_2".
uint32_t RestartsOf(std::string_view compile_id);

/// The compilation that the recompile or limit record `event` is about: its own id, or without one
/// the id after the highest cache entry in its reasons. Absent if it names neither.
std::optional<CompileNumber> CompileOf(const Session& session, const Event& event);

/// The smallest number of cache entries that the recompile or limit record `event` proves for its
/// function: entries are counted from 0, so that the number of its compile is that of the entries
/// before it. Without one, the number of reasons of a recompile. 0 for other events.
uint64_t NumEntriesShown(const Session& session, const Event& event);

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_COMPILE_NUMBER_H_
