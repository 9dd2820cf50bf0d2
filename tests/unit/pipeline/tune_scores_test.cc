// Which printed numbers are scores.

#include "pipeline/tune.h"

#include <limits>
#include <string>
#include <string_view>

#include "support/catch.h"

namespace shapewise {
namespace {

std::string Described(std::string_view text) {
  std::string reported;
  for (const TuneScore& score : ScoresIn(text)) {
    reported += score.name + "=" + std::to_string(score.number) + ";";
  }
  return reported;
}

TEST_CASE("a score is the number after its word", "[tune]") {
  CHECK(Described("loss 0.5") == "loss=0.500000;");
  CHECK(Described("step 3 | val_loss: 0.25 | acc=97.5%") == "loss=0.250000;acc=97.500000;");
  CHECK(Described("{'loss': 1.5, 'score': -2}") == "loss=1.500000;score=-2.000000;");
  CHECK(Described("Accuracy: .75\nPPL 12") == "Accuracy=0.750000;PPL=12.000000;");
  CHECK(Described("loss2: 4, acc@5 0.5") == "loss2=4.000000;acc@5=0.500000;");
}

TEST_CASE("times and steps next to a score are ignored", "[tune]") {
  CHECK(Described("epoch 2 loss=0.5 time=1.23s 40.1 it/s") == "loss=0.500000;");
  CHECK(Described("loss after 1.23 s") == "");
  CHECK(Described("0.5 loss") == "");
  CHECK(Described("loss: 3rd try") == "");
}

TEST_CASE("words that only contain a score word are ignored", "[tune]") {
  CHECK(Described("accelerator 3, lossless 2, account: 5, scoreboard 1, vacc 2") == "");
}

TEST_CASE("exponents and signs are part of the number", "[tune]") {
  CHECK(ScoresIn("loss 1.5e-05").at(0).number == 1.5e-05);
  CHECK(ScoresIn("loss 2E+3").at(0).number == 2e3);
  CHECK(ScoresIn("loss: -0.5").at(0).number == -0.5);
  CHECK(ScoresIn("loss: 1e-5, lr 3").size() == 1);
}

TEST_CASE("scores are compared up to rounding", "[tune]") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(AreEqualScores({"loss", 0.5}, {"loss", 0.5004}));
  CHECK_FALSE(AreEqualScores({"loss", 1e-5}, {"loss", 2e-5}));
  CHECK_FALSE(AreEqualScores({"loss", 0.5}, {"acc", 0.5}));
  CHECK_FALSE(AreEqualScores({"loss", -0.5}, {"loss", 0.5}));
  CHECK(AreEqualScores({"loss", infinity}, {"loss", infinity}));
  CHECK(AreEqualScores(ScoresIn("loss nan").at(0), ScoresIn("loss: NaN").at(0)));
  CHECK_FALSE(AreEqualScores(ScoresIn("loss nan").at(0), {"loss", 1}));
}

TEST_CASE("a truncated score is ignored", "[tune]") {
  for (const std::string_view text : {"loss", "loss:", "acc@", "loss -", "loss: +", "loss ."}) {
    CHECK(ScoresIn(text).empty());
  }
}

}  // namespace
}  // namespace shapewise
