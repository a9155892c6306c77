// Rows that are described once: their JSON, and the schema for it.
#include "analyzer/fields/fields.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analyzer/base/text.h"
#include "analyzer/fields/json_schema.h"
#include "analyzer/report/described_table.h"
#include "tests/support/json_validator.h"

namespace hindsight::analyzer {
namespace {

enum class Color { kRed, kBlue, kOther };

constexpr Named<Color> kColors[] = {
    {Color::kRed, "red"}, {Color::kBlue, "blue"}, {Color::kOther, "other"}};

struct Wheel {
  uint64_t spokes = 0;
  Color color = Color::kRed;
};

struct Cart {
  std::string name = {};
  bool is_new = false;
  double weight = 0;
  int64_t at_ns = 0;
  std::optional<uint64_t> price = {};
  std::vector<Wheel> wheels = {};
  Wheel spare = {};
  const Wheel* steering = nullptr;
  bool has_bell = false;
  uint64_t rings = 0;
  std::vector<std::pair<std::string, uint64_t>> contents = {};
};

struct Shop {
  uint64_t factor = 1;
};

Object<Wheel, Shop> TestWheelFields() {
  return {
      {"spokes", "How many", [](auto& wheel, auto& shop) { return wheel.spokes * shop.factor; }},
      {"color", "Which", kColors, &Wheel::color},
  };
}

Object<Wheel> PlainWheelFields() {
  return {"wheel", "A wheel", {{"spokes", "How many", &Wheel::spokes}}};
}

Object<Cart, Shop> CartFields() {
  return {
      {"command", "Always the same", Constant{"cart"}},
      {"name", "Its name", &Cart::name},
      {"is_new", "Whether it is new", &Cart::is_new},
      {"weight", "Kilograms", &Cart::weight},
      {"at_ns", "When", &Cart::at_ns},
      {"price", "null: unknown", &Cart::price},
      {"wheels", "All of them", TestWheelFields(), &Cart::wheels},
      {PlainWheelFields(), &Cart::spare},
      {"steering", "null: none", PlainWheelFields(), &Cart::steering},
      {"rings", "With a bell",
       [](auto& cart) {
         return If{cart.has_bell, cart.rings};
       }},
      {"contents", "By kind", &Cart::contents},
  };
}

nlohmann::json SchemaOf(const SharedShape& shape) {
  return nlohmann::json::parse(JsonSchema("carts", "For a test", std::span(&shape, 1)));
}

TEST(Fields, JsonHasTheFieldsInTheirOrderAsTextOfTwoColumnsOfIndent) {
  Cart cart{.name = "a\xff\x1b\"", .weight = 0.5, .at_ns = -1, .spare = {.spokes = 9}};
  cart.wheels = {{2, Color::kBlue}};
  EXPECT_EQ(JsonOf(CartFields(), cart, {.factor = 3}), R"({
  "command": "cart",
  "name": "a�\u001b\"",
  "is_new": false,
  "weight": 0.5,
  "at_ns": -1,
  "price": null,
  "wheels": [
    {
      "spokes": 6,
      "color": "blue"
    }
  ],
  "spokes": 9,
  "steering": null,
  "contents": {}
}
)");
}

TEST(Fields, WhatIsKnownIsThere) {
  const Wheel wheel{.spokes = 4};
  const Cart cart{.price = 7,
                  .steering = &wheel,
                  .has_bell = true,
                  .rings = UINT64_MAX,
                  .contents = {{"apples", 3}}};
  const auto json = nlohmann::json::parse(JsonOf(CartFields(), cart, {}));
  EXPECT_EQ(json["price"], 7);
  EXPECT_EQ(json["steering"]["spokes"], 4);
  EXPECT_EQ(json["rings"], UINT64_MAX);
  EXPECT_EQ(json["contents"]["apples"], 3);
  EXPECT_TRUE(json["wheels"].is_array() && json["wheels"].empty());
}

TEST(Fields, TheSchemaHoldsForAllThatIsWritten) {
  const Wheel wheel;
  for (const Cart& cart :
       {Cart{}, Cart{.price = 7, .wheels = {{}}, .steering = &wheel, .has_bell = true},
        Cart{.contents = {{"apples", 3}}}}) {
    const auto json = nlohmann::json::parse(JsonOf(CartFields(), cart, {}));
    JsonValidator schema(SchemaOf(CartFields().shape()));
    EXPECT_EQ(schema.Errors(json), std::vector<std::string>()) << json;
  }
}

TEST(Fields, TheSchemaReportsTypesNullsEnumsAndMissingKeys) {
  const auto schema = SchemaOf(CartFields().shape());
  const auto& fields = schema["properties"];
  EXPECT_EQ(fields["command"]["const"], "cart");
  EXPECT_EQ(fields["is_new"]["type"], "boolean");
  EXPECT_EQ(fields["weight"]["type"], "number");
  EXPECT_EQ(fields["price"]["type"], nlohmann::json({"integer", "null"}));
  EXPECT_EQ(fields["wheels"]["items"]["properties"]["color"]["enum"],
            nlohmann::json({"red", "blue", "other"}));
  EXPECT_EQ(fields["steering"]["anyOf"][0]["$ref"], "#/$defs/wheel");
  EXPECT_EQ(schema["$defs"]["wheel"]["description"], "A wheel");
  EXPECT_EQ(fields["contents"]["additionalProperties"]["type"], "integer");
  for (const auto& [name, field] : fields.items()) {
    EXPECT_FALSE(field["description"].get<std::string>().empty()) << name;
    const auto& required = schema["required"];
    const bool is_required = std::find(required.begin(), required.end(), name) != required.end();
    EXPECT_EQ(is_required, name != "rings") << name;
  }
}

using AnyValue = std::variant<std::monostate, int64_t, double, std::string>;
struct Answers {
  std::vector<std::vector<AnyValue>> rows = {};
};
Object<Answers> AnswerTestFields() { return {{"rows", "In order", &Answers::rows}}; }

TEST(Fields, RowsOfAnyValuesAreALineEach) {
  const Answers answers = {{{int64_t{-1}, 0.5, std::string("a\"b"), {}}, {}, {int64_t{2}}}};
  const std::string json = JsonOf(AnswerTestFields(), answers);
  EXPECT_EQ(json, "{\n  \"rows\": [\n    [-1,0.5,\"a\\\"b\",null],\n    [],\n    [2]\n  ]\n}\n");
  const std::vector<SharedShape> forms = {AnswerTestFields().shape()};
  JsonValidator schema(nlohmann::json::parse(JsonSchema("rows", "", forms)));
  EXPECT_TRUE(schema.Errors(nlohmann::json::parse(json)).empty());
  EXPECT_FALSE(schema.Errors(nlohmann::json::parse(R"({"rows": [[true]]})")).empty());
}

TEST(Fields, WhatIsLargeIsWrittenInPartsAndTheSame) {
  Answers answers;
  for (int64_t i = 0; i < 5000; ++i) answers.rows.push_back({i, "\u202e" + std::to_string(i)});
  std::vector<std::string> parts;
  JsonWriter out([&parts](std::string_view text) { parts.emplace_back(text); });
  WriteObject(*AnswerTestFields().shape(), &answers, nullptr, out);
  out.Finish();
  EXPECT_GT(parts.size(), 3u);
  std::string all;
  for (const std::string& part : parts) all += part;
  EXPECT_EQ(all, JsonOf(AnswerTestFields(), answers));
}

TEST(Fields, AnUnknownValueOfAnEnumIsTheLastName) {
  EXPECT_EQ(NameOf(kColors, static_cast<Color>(7)), "other");
}

struct Trip {
  std::string to = {};
  uint64_t stops = 0;
  uint64_t took_ns = 0;
  uint64_t load_bytes = 0;
  int64_t left_at_ns = 0;
  double share = 0;
  double speed = 0;
  std::optional<uint64_t> fare = {};
  bool has_toll = false;
};

Object<Trip> TripFields() {
  return {
      {TextColumn("trip").Shrinks(), [](const Trip& trip) { return "to " + Printable(trip.to); }},
      {"stops", "", &Trip::stops, TextColumn("stops").BlankZero()},
      {"took_ns", "", &Trip::took_ns, TextColumn("took")},
      {"load_bytes", "", &Trip::load_bytes, TextColumn("load")},
      {"left_at_ns", "", &Trip::left_at_ns, TextColumn("left")},
      {"share", "", &Trip::share, TextColumn("of all")},
      {"speed", "", &Trip::speed, TextColumn("speed")},
      {"fare", "", &Trip::fare, TextColumn("fare")},
      {"toll", "",
       [](auto& trip) {
         return If{trip.has_toll, uint64_t{5}};
       },
       TextColumn("toll")},
      {"to", "", &Trip::to, TextColumn("where").First()},
  };
}

std::string TripTable(const std::vector<Trip>& trips, size_t top) {
  std::string out;
  const Nothing nothing;
  AppendTable(out, TextStyle{}, {"Trips", "trip", top}, TripFields(), trips, nothing);
  return out;
}

TEST(TextTable, ShowsColumnsByTheirUnits) {
  EXPECT_EQ(TripTable({{.to = "Rome\x1b",
                        .stops = 1234,
                        .took_ns = 1'500'000,
                        .load_bytes = 1536,
                        .left_at_ns = 2'000'000'000,
                        .share = 0.25,
                        .speed = 2.5,
                        .fare = 7},
                       {.to = "Bari"},
                       {.to = "Pisa"}},
                      2),
            "\nTrips\n\n"
            "  where     trip         stops    took     load    left  of all  speed  fare\n"
            "  Rome\\x1b  to Rome\\x1b  1,234  1.5 ms  1.5 KiB  2.00 s  25.0 %    2.5     7\n"
            "  Bari      to Bari               0 ns  0 bytes     0 s   0.0 %      0\n"
            "  and 1 more trip\n");
}

TEST(TextTable, LeavesOutAColumnWhoseKeyIsMissingInEveryRow) {
  EXPECT_EQ(TripTable({{.to = "Rome"}}, 0).find("toll"), std::string::npos);
  EXPECT_NE(TripTable({{.to = "Rome"}, {.to = "Bari", .has_toll = true}}, 0).find("toll"),
            std::string::npos);
}

TEST(TextTable, IsNothingWithoutRows) { EXPECT_EQ(TripTable({}, 0), ""); }

}  // namespace
}  // namespace hindsight::analyzer
