// A place in the user's code.

#ifndef SHAPEWISE_RESULT_PLACE_H_
#define SHAPEWISE_RESULT_PLACE_H_

#include <cstdint>
#include <string>

namespace shapewise {

/// A place in the user's code. Empty and 0 where the log does not say.
struct Place {
  std::string function;
  std::string file;
  uint32_t line = 0;

  friend bool operator==(const Place&, const Place&) = default;
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_PLACE_H_
