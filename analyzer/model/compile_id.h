// Parses compile ids: "0/1_2" is frame 0, its second compilation, third attempt.

#ifndef SHAPEWISE_MODEL_COMPILE_ID_H_
#define SHAPEWISE_MODEL_COMPILE_ID_H_

#include <string_view>

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

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_COMPILE_ID_H_
