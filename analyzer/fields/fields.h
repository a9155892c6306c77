// A result is described once: an Object lists the fields of a row, each with its name, its meaning
// and how it is read. Both JSON and its JSON Schema are generated from this list:
//
//   Object<LockGroup> LockFields() {
//     return {
//         {"lock", "The runtime's id", [](auto& lock) { return Hex(lock.lock); }},
//         {"kind", "What kind of lock", kWaitKinds, &LockGroup::kind},
//         {"count", "How many waits", &LockGroup::count},
//     };
//   }
//
// A field is read with a member or a function of the row, which determines its type:
//   bool, whole numbers, floating point, text   the same
//   std::optional<T>, T*                        T or null
//   If<T>                                       T, or the key is missing
//   a range of T                                a list
//   a range of std::pair<text, T>               an object with these keys
//   std::variant                                a plain value or null; lists of it are on one line
// In an If or a range, a T* is a T that is stored elsewhere, and is not null.
// If an Object follows the meaning, T is a row of that object; with names (Named, OneOf), an enum.
//
// A field that ends with a TextColumn is also a column in the text report's table (text_column.h):
//   {"count", "How many waits", &LockGroup::count, TextColumn("waits")},
// A column that JSON has in several fields is a TextColumn and a function that returns its text, or
// no text: columns without any text are omitted. The function may take the style after the context.
//
// `In` is the context of rows, usually the whole report: functions may take it after the row.
#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "analyzer/fields/cell_text.h"
#include "analyzer/fields/json_writer.h"
#include "analyzer/fields/named.h"
#include "analyzer/fields/shape.h"
#include "analyzer/fields/text_column.h"

namespace hindsight::analyzer {

// A value that is present only sometimes; otherwise its key is missing.
template <typename T>
struct If {
  bool is_there = false;
  T value{};
};
template <typename T>
If(bool, T) -> If<T>;

// The context of rows that need none; the row of fields that are always the same.
struct Nothing {};

// An enum with a function for its names, and the values that a field can have.
template <typename Enum>
struct OneOf {
  std::string_view (*name)(Enum);
  std::vector<Enum> values;
};

// The only text that a field can have.
struct Constant {
  std::string text;
};

// All texts that a field can have.
struct Texts {
  std::vector<std::string> texts;
};

namespace describe {

template <typename T>
inline constexpr bool kIsIf = false;
template <typename T>
inline constexpr bool kIsIf<If<T>> = true;
template <typename T>
inline constexpr bool kIsOptional = std::is_pointer_v<T>;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <typename T>
concept TextLike = std::convertible_to<const T&, std::string_view>;
template <typename T>
inline constexpr bool kIsEntry = false;
template <typename T>
inline constexpr bool kIsEntry<std::pair<std::string_view, T>> = true;
template <typename T>
inline constexpr bool kIsEntry<std::pair<std::string, T>> = true;

template <typename T>
inline constexpr bool kIsAny = false;
template <typename... T>
inline constexpr bool kIsAny<std::variant<std::monostate, T...>> = true;

template <typename T>
using Element = std::remove_cvref_t<std::ranges::range_value_t<T>>;

// The shape of values of type T, whose rows or plain values have the shape `leaf`.
template <typename T>
Shape ShapeOf(const Shape& leaf) {
  Shape shape = leaf;
  if constexpr (TextLike<T>) {
    return shape;
  } else if constexpr (kIsIf<T>) {
    shape = ShapeOf<decltype(T::value)>(leaf);
    if constexpr (std::is_pointer_v<decltype(T::value)>) shape.is_nullable = false;
    shape.is_optional = true;
  } else if constexpr (kIsOptional<T>) {
    shape = ShapeOf<std::remove_cvref_t<decltype(*std::declval<T>())>>(leaf);
    shape.is_nullable = true;
  } else if constexpr (std::ranges::range<T>) {
    shape = {};
    if constexpr (kIsEntry<Element<T>>) {
      shape.type = Shape::Type::kMap;
      shape.element = std::make_shared<Shape>(ShapeOf<typename Element<T>::second_type>(leaf));
    } else {
      Shape element = ShapeOf<Element<T>>(leaf);
      if constexpr (std::is_pointer_v<Element<T>>) element.is_nullable = false;
      shape.type = Shape::Type::kList;
      shape.element = std::make_shared<Shape>(std::move(element));
    }
  }
  return shape;
}

// The innermost T of the above.
template <typename T>
struct LeafOf {
  using Type = T;
};
template <typename T>
requires(!TextLike<T> && kIsIf<T>) struct LeafOf<T> : LeafOf<decltype(T::value)> {
};
template <typename T>
requires(!TextLike<T> && kIsOptional<T>) struct LeafOf<T>
    : LeafOf<std::remove_cvref_t<decltype(*std::declval<T>())>> {
};
template <typename T>
requires(!TextLike<T> && !kIsOptional<T> && std::ranges::range<T> &&
         !kIsEntry<Element<T>>) struct LeafOf<T> : LeafOf<Element<T>> {
};
template <typename T>
requires(!TextLike<T> && !kIsOptional<T> && std::ranges::range<T> &&
         kIsEntry<Element<T>>) struct LeafOf<T> : LeafOf<typename Element<T>::second_type> {
};

// Writes `value`; `leaf` writes the rows or plain values in it.
template <typename T, typename Leaf>
void Write(const T& value, ValueWriter& out, const Leaf& leaf) {
  if constexpr (TextLike<T>) {
    leaf(value);
  } else if constexpr (kIsIf<T>) {
    if (value.is_there) Write(value.value, out, leaf);
  } else if constexpr (kIsOptional<T>) {
    if (!value) return out.Null();
    Write(*value, out, leaf);
  } else if constexpr (std::ranges::range<T>) {
    if constexpr (kIsEntry<Element<T>>) {
      out.BeginObject();
      for (const auto& [key, part] : value) {
        out.Key(key);
        Write(part, out, leaf);
      }
      out.EndObject();
    } else {
      if constexpr (kIsAny<Element<T>>) {
        out.BeginRow();
      } else {
        out.BeginList();
      }
      for (const auto& part : value) Write(part, out, leaf);
      out.EndList();
    }
  } else {
    leaf(value);
  }
}

template <typename T>
Shape PlainShape() {
  static_assert(TextLike<T> || std::is_arithmetic_v<T> || kIsAny<T>,
                "a row needs an Object, and an enum a table of names, behind the meaning");
  Shape shape;
  if constexpr (kIsAny<T>) {
    shape.type = Shape::Type::kAny;
  } else if constexpr (std::same_as<T, bool>) {
    shape.type = Shape::Type::kBoolean;
  } else if constexpr (std::is_integral_v<T>) {
    shape.type = Shape::Type::kInteger;
  } else if constexpr (std::is_floating_point_v<T>) {
    shape.type = Shape::Type::kNumber;
  }
  return shape;
}

template <typename T>
void WritePlain(const T& value, ValueWriter& out) {
  if constexpr (std::same_as<T, std::monostate>) {
    out.Null();
  } else if constexpr (kIsAny<T>) {
    std::visit([&out](const auto& part) { WritePlain(part, out); }, value);
  } else if constexpr (TextLike<T>) {
    out.Text(value);
  } else if constexpr (std::same_as<T, bool>) {
    out.Bool(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    out.Real(value);
  } else if constexpr (std::is_signed_v<T>) {
    out.Integer(value);
  } else {
    out.Unsigned(value);
  }
}

template <typename Row, typename In, typename How>
decltype(auto) ReadFrom(const How& how, const void* row, const void* in) {
  if constexpr (std::invocable<const How&, const Row&>) {
    return std::invoke(how, *static_cast<const Row*>(row));
  } else {
    return std::invoke(how, *static_cast<const Row*>(row), *static_cast<const In*>(in));
  }
}

}  // namespace describe

template <typename Row, typename In>
class Field;

template <typename Row, typename In = Nothing>
class Object {
 public:
  Object(std::initializer_list<Field<Row, In>> fields)
      : Object(std::string_view(), std::string_view(), fields) {}
  // An object that several reports share: a definition in their schemas.
  Object(std::string_view name, std::string_view meaning,
         std::initializer_list<Field<Row, In>> fields);

  const std::shared_ptr<const ObjectShape>& shape() const { return shape_; }

 private:
  std::shared_ptr<const ObjectShape> shape_;
};

// One field, or several.
template <typename Row, typename In = Nothing>
class Field {
 public:
  // A plain value.
  template <typename How>
  Field(std::string_view name, std::string_view meaning, How how,
        std::optional<TextColumn> column = std::nullopt) {
    using T = std::remove_cvref_t<decltype(describe::ReadFrom<Row, In>(how, nullptr, nullptr))>;
    Add<T>(name, meaning, describe::PlainShape<typename describe::LeafOf<T>::Type>(),
           [how](const void* row, const void* in, ValueWriter& out) {
             describe::Write(describe::ReadFrom<Row, In>(how, row, in), out,
                             [&out](const auto& value) { describe::WritePlain(value, out); });
           });
    if (!column) return;
    shapes_.back().title = column->title();
    columns_.push_back(ColumnOf(shapes_.back(), *column));
  }

  // A column of text that JSON has in several fields.
  template <typename How>
  Field(TextColumn column, How how) {
    columns_.push_back(
        {column, column.aligns_right(),
         [how](const void* row, const void* in, [[maybe_unused]] const TextStyle& style) {
           if constexpr (std::invocable<const How&, const Row&, const In&, const TextStyle&>) {
             return std::optional<std::string>(std::invoke(how, *static_cast<const Row*>(row),
                                                           *static_cast<const In*>(in), style));
           } else {
             return std::optional<std::string>(describe::ReadFrom<Row, In>(how, row, in));
           }
         }});
  }

  // The same text in every row.
  Field(std::string_view name, std::string_view meaning, Constant constant) {
    Shape shape;
    shape.texts.push_back(constant.text);
    Add<std::string>(name, meaning, shape, [constant](const void*, const void*, ValueWriter& out) {
      out.Text(constant.text);
    });
  }

  // One of a few texts.
  template <typename How>
  Field(std::string_view name, std::string_view meaning, const Texts& texts, How how)
      : Field(name, meaning, how) {
    shapes_.back().shape.texts = texts.texts;
  }

  // An enum by its names, which must outlive this.
  template <typename Enum, size_t kCount, typename How>
  Field(std::string_view name, std::string_view meaning, const Named<Enum> (&names)[kCount],
        How how) {
    using T = std::remove_cvref_t<decltype(describe::ReadFrom<Row, In>(how, nullptr, nullptr))>;
    Shape shape;
    for (const Named<Enum>& known : names) shape.texts.emplace_back(known.name);
    Add<T>(name, meaning, shape, [how, &names](const void* row, const void* in, ValueWriter& out) {
      describe::Write(describe::ReadFrom<Row, In>(how, row, in), out,
                      [&](Enum value) { out.Text(NameOf(names, value)); });
    });
  }

  template <typename Enum, typename How>
  Field(std::string_view name, std::string_view meaning, const OneOf<Enum>& names, How how) {
    using T = std::remove_cvref_t<decltype(describe::ReadFrom<Row, In>(how, nullptr, nullptr))>;
    Shape shape;
    for (const Enum value : names.values) shape.texts.emplace_back(names.name(value));
    Add<T>(name, meaning, shape,
           [how, name_of = names.name](const void* row, const void* in, ValueWriter& out) {
             describe::Write(describe::ReadFrom<Row, In>(how, row, in), out,
                             [&](Enum value) { out.Text(name_of(value)); });
           });
  }

  // Another object, or several.
  template <typename Part, typename PartIn, typename How>
  Field(std::string_view name, std::string_view meaning, const Object<Part, PartIn>& object,
        How how) {
    using T = std::remove_cvref_t<decltype(describe::ReadFrom<Row, In>(how, nullptr, nullptr))>;
    Shape shape;
    shape.type = Shape::Type::kObject;
    shape.object = object.shape();
    Add<T>(name, meaning, shape,
           [how, part = object.shape()](const void* row, const void* in, ValueWriter& out) {
             describe::Write(
                 describe::ReadFrom<Row, In>(how, row, in), out,
                 [&](const Part& value) { WriteObject(*part, &value, Belongs<PartIn>(in), out); });
           });
  }
  // A part of the same row that is an object in JSON.
  template <typename PartIn>
  Field(std::string_view name, std::string_view meaning, const Object<Row, PartIn>& object)
      : Field(name, meaning, object, [](const Row& row) -> const Row& { return row; }) {}

  // All fields of another object, instead of the object.
  template <typename Part, typename PartIn, typename How>
  Field(const Object<Part, PartIn>& object, How how) {
    for (const FieldShape& field : object.shape()->fields) {
      shapes_.push_back(
          {field.name, field.meaning, field.shape,
           [how, write = field.write](const void* row, const void* in, ValueWriter& out) {
             const Part& part = describe::ReadFrom<Row, In>(how, row, in);
             write(&part, Belongs<PartIn>(in), out);
           },
           field.title});
    }
    for (const ColumnShape& column : object.shape()->columns) {
      columns_.push_back(
          {column.column, column.is_number,
           [how, cell = column.cell](const void* row, const void* in, const TextStyle& style) {
             const Part& part = describe::ReadFrom<Row, In>(how, row, in);
             return cell(&part, Belongs<PartIn>(in), style);
           }});
    }
  }
  // For the same row, or for no particular row.
  template <typename PartIn>
  Field(const Object<Row, PartIn>& object)
      : Field(object, [](const Row& row) -> const Row& { return row; }) {}
  Field(const Object<Nothing>& object) requires(!std::same_as<Row, Nothing>)
      : shapes_(object.shape()->fields) {}

  const std::vector<FieldShape>& shapes() const { return shapes_; }
  const std::vector<ColumnShape>& columns() const { return columns_; }

 private:
  // `in` as seen by a part of a row.
  template <typename PartIn>
  static const void* Belongs(const void* in) {
    if constexpr (std::same_as<PartIn, Nothing>) {
      return nullptr;
    } else {
      return &static_cast<const PartIn&>(*static_cast<const In*>(in));
    }
  }

  template <typename T, typename Writes>
  void Add(std::string_view name, std::string_view meaning, const Shape& leaf, Writes write) {
    shapes_.push_back(
        {std::string(name), meaning, describe::ShapeOf<T>(leaf), std::move(write), {}});
  }

  std::vector<FieldShape> shapes_;
  std::vector<ColumnShape> columns_;
};

template <typename Row, typename In>
Object<Row, In>::Object(std::string_view name, std::string_view meaning,
                        std::initializer_list<Field<Row, In>> fields) {
  auto shape = std::make_shared<ObjectShape>();
  shape->name = name;
  shape->meaning = meaning;
  for (const Field<Row, In>& field : fields) {
    shape->fields.insert(shape->fields.end(), field.shapes().begin(), field.shapes().end());
    shape->columns.insert(shape->columns.end(), field.columns().begin(), field.columns().end());
  }
  std::stable_sort(shape->columns.begin(), shape->columns.end(),
                   [](const ColumnShape& a, const ColumnShape& b) {
                     return a.column.position() < b.column.position();
                   });
  shape_ = std::move(shape);
}

// What `--json` prints for a whole report.
template <typename Row, typename In>
std::string JsonOf(const Object<Row, In>& object, const Row& row, const In& in) {
  JsonWriter out;
  WriteObject(*object.shape(), &row, &in, out);
  return out.Take();
}
template <typename Row>
std::string JsonOf(const Object<Row, Row>& object, const Row& row) {
  return JsonOf(object, row, row);
}
template <typename Row>
std::string JsonOf(const Object<Row>& object, const Row& row) {
  return JsonOf(object, row, Nothing());
}
// The same for a list.
template <typename Row>
std::string JsonOfList(const Object<Row>& object, std::span<const Row> rows) {
  JsonWriter out;
  out.BeginList();
  for (const Row& row : rows) WriteObject(*object.shape(), &row, nullptr, out);
  out.EndList();
  return out.Take();
}

}  // namespace hindsight::analyzer
