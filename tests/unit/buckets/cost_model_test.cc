#include "buckets/cost_model.h"

#include <catch2/catch.hpp>
#include <utility>

namespace shapewise {
namespace {

CostModel Parsed(std::string_view text) {
  Expected<CostModel> model = CostModel::Parse(text);
  REQUIRE(static_cast<bool>(model));
  return *model;
}

std::string WhyNot(std::string_view text) {
  Expected<CostModel> model = CostModel::Parse(text);
  REQUIRE_FALSE(static_cast<bool>(model));
  return llvm::toString(model.takeError());
}

TEST_CASE("Formulas count rows times length, and attention by the square of the length",
          "[buckets]") {
  CHECK(Parsed("padding").Of(4, 10) == 40);
  CHECK(Parsed("linear:1,0.5").Of(4, 10) == 21);
  CHECK(Parsed("quadratic:1,0.5,0.25").Of(4, 10) == 1 + 20 + 100);
  CHECK(Parsed("tile:1,0.5,0,64").Of(4, 10) == 33);
  CHECK(Parsed("tile:1,0.5,0,64").Of(4, 17) == 1 + 64);
  CHECK(Parsed("quadratic:1,0.5,0.25").Of(Sizes{4, 10, 1}, 2) == 121);
  CHECK(Parsed("padding").Of(Sizes{2, 3, 5}, 3) == 30);
}

TEST_CASE("Only costs with coefficients are in seconds", "[buckets]") {
  CHECK_FALSE(Parsed("padding").IsInSeconds());
  CHECK_FALSE(Parsed("linear").IsInSeconds());
  CHECK(Parsed("linear:0,1e-6").IsInSeconds());
}

TEST_CASE("A measured curve is followed between its points and beyond them", "[buckets]") {
  CostCurve curve;
  curve.points = {
      {.size = 10, .seconds = 2}, {.size = 20, .seconds = 4}, {.size = 40, .seconds = 5}};
  Expected<CostModel> model = CostModel::OfCurve(curve);
  REQUIRE(static_cast<bool>(model));
  CHECK(model->Of(1, 5) == 2);
  CHECK(model->Of(1, 15) == 3);
  CHECK(model->Of(8, 30) == 4.5);
  CHECK(model->Of(1, 80) == 7);
}

TEST_CASE("Beyond the last point nothing is taken for cheaper than it, however the curve fell",
          "[buckets]") {
  CostCurve curve;
  curve.points = {{.size = 10, .seconds = 9}, {.size = 20, .seconds = 4}};
  Expected<CostModel> model = CostModel::OfCurve(curve);
  REQUIRE(static_cast<bool>(model));
  CHECK(model->Of(1, 1000) == 4);
}

TEST_CASE("A cost that is none is named with what was expected", "[buckets]") {
  CHECK(WhyNot("cubic:1,2").find("there is no 'cubic'") != std::string::npos);
  CHECK(WhyNot("quadratic").find("its numbers are missing") != std::string::npos);
  CHECK(WhyNot("linear:1").find("takes 2 numbers, not 1") != std::string::npos);
  CHECK(WhyNot("linear:1,-2").find("is no number") != std::string::npos);
  CHECK(WhyNot("linear:1,nan").find("is no number") != std::string::npos);
  CHECK(WhyNot("linear:0,0").find("costs nothing") != std::string::npos);
  CHECK(WhyNot("padding:1").find("takes 0 numbers, not 1") != std::string::npos);
}

TEST_CASE("A curve that cannot be one is an error", "[buckets]") {
  CostCurve twice;
  twice.points = {{.size = 10, .seconds = 2}, {.size = 10, .seconds = 4}};
  Expected<CostModel> model = CostModel::OfCurve(std::move(twice));
  CHECK_FALSE(static_cast<bool>(model));
  llvm::consumeError(model.takeError());
  Expected<CostModel> empty = CostModel::OfCurve({});
  CHECK_FALSE(static_cast<bool>(empty));
  llvm::consumeError(empty.takeError());
}

}  // namespace
}  // namespace shapewise
