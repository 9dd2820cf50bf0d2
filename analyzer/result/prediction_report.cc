#include "shapewise/result/prediction_report.h"

namespace shapewise {

std::string_view BackTestName(BackTest result) {
  switch (result) {
    case BackTest::kNotLogged:
      return "not-logged";
    case BackTest::kUnmodelled:
      return "unmodelled";
    case BackTest::kAgrees:
      return "agrees";
    case BackTest::kDiffers:
      return "differs";
  }
  return {};
}

}  // namespace shapewise
