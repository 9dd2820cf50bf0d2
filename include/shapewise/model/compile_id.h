// What the text of a compile id tells: "0/1_2" is frame 0, its second compilation, third attempt.

#ifndef SHAPEWISE_MODEL_COMPILE_ID_H_
#define SHAPEWISE_MODEL_COMPILE_ID_H_

#include <string_view>

namespace shapewise {

/// "0/1" of "0/1_2".
inline std::string_view WithoutAttempt(std::string_view id) { return id.substr(0, id.find('_')); }

/// "0" of "0/1_2", "!0/3" of "!0/3/1": the frame, whatever the compilation.
inline std::string_view FrameOf(std::string_view id) { return id.substr(0, id.rfind('/')); }

/// Whether `id` is that of a compilation beyond the frame's first.
inline bool IsRecompile(std::string_view id) {
  id = WithoutAttempt(id);
  const size_t slash = id.rfind('/');
  return slash != std::string_view::npos && id.substr(slash + 1) != "0";
}

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_COMPILE_ID_H_
