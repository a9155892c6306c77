// Millions of rows of numbers in little memory. A block of rows is stored by column: the smallest
// value, and for each row as many bytes as the largest difference from it needs. So times of
// neighbors take four bytes, a thread one, and what is the same in all rows nothing.
//
//   PackedRows<CpuSample> samples;
//   samples.push_back({...});
//   for (const CpuSample& sample : samples) ...
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace hindsight::analyzer {

// `Row::Fields()` is a tuple of pointers to all members of a row. Reading is safe on several
// threads.
template <typename Row>
class PackedRows {
 public:
  class Iterator;

  void push_back(const Row& row) {
    if (open_.size() == kBlockRows) {
      blocks_.emplace_back(open_);
      open_.clear();
    }
    open_.push_back(row);
  }
  // Until the next row is added.
  Row& back() { return open_.back(); }
  size_t size() const { return blocks_.size() * kBlockRows + open_.size(); }
  bool empty() const { return open_.empty(); }
  void clear() { *this = {}; }

  Iterator begin() const { return Iterator(*this); }
  std::default_sentinel_t end() const { return {}; }
  // A single row; unpacks its block.
  Row operator[](size_t at) const {
    if (at / kBlockRows == blocks_.size()) return open_[at % kBlockRows];
    std::vector<Row> rows;
    blocks_[at / kBlockRows].Unpack(rows);
    return rows[at % kBlockRows];
  }

  // Calls change(row) for each row, which may modify it; those for which it is false are dropped.
  template <typename Change>
  void Rewrite(const Change& change) {
    PackedRows old = std::exchange(*this, {});
    const auto take = [&](std::vector<Row>& rows) {
      for (Row& row : rows) {
        if (change(row)) push_back(row);
      }
    };
    std::vector<Row> rows;
    for (Block& block : old.blocks_) {
      block.Unpack(rows);
      block = {};
      take(rows);
    }
    take(old.open_);
  }

 private:
  static constexpr size_t kBlockRows = 1024;

  class Block {
   public:
    Block() = default;
    explicit Block(const std::vector<Row>& rows) {
      size_t bytes = kSpare;
      ForEachColumn([&](auto field, Column& column) {
        column.Measure(rows, field);
        bytes += column.width * kBlockRows;
      });
      bytes_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
      std::byte* at = bytes_.get();
      ForEachColumn([&](auto field, Column& column) {
        for (const Row& row : rows) {
          const uint64_t above = Bits(row.*field) - column.least;
          std::memcpy(at, &above, sizeof above);  // what follows overwrites the rest
          at += column.width;
        }
      });
    }

    void Unpack(std::vector<Row>& rows) const {
      rows.resize(kBlockRows);
      const std::byte* at = bytes_.get();
      ForEachColumn([&](auto field, const Column& column) {
        const uint64_t mask = column.width == 0 ? 0 : ~uint64_t{0} >> (64 - 8 * column.width);
        for (Row& row : rows) {
          uint64_t above;
          std::memcpy(&above, at, sizeof above);
          at += column.width;
          Set(row.*field, column.least + (above & mask));
        }
      });
    }

   private:
    struct Column {
      uint64_t least = 0;
      uint32_t width = 0;  // bytes

      template <typename Field>
      void Measure(const std::vector<Row>& rows, Field field) {
        int64_t low = INT64_MAX, high = INT64_MIN;
        for (const Row& row : rows) {
          const auto value = static_cast<int64_t>(Bits(row.*field));
          low = std::min(low, value);
          high = std::max(high, value);
        }
        least = static_cast<uint64_t>(low);
        const uint64_t most = static_cast<uint64_t>(high) - least;
        width = static_cast<uint32_t>(std::bit_width(most) + 7) / 8;
      }
    };
    static constexpr size_t kSpare = 8;  // values are copied eight bytes at a time
    static constexpr size_t kColumns = std::tuple_size_v<decltype(Row::Fields())>;

    template <typename T>
    static uint64_t Bits(T value) {
      if constexpr (std::is_floating_point_v<T>) {
        return std::bit_cast<uint64_t>(value);
      } else {
        return static_cast<uint64_t>(value);
      }
    }
    template <typename T>
    static void Set(T& value, uint64_t bits) {
      if constexpr (std::is_floating_point_v<T>) {
        value = std::bit_cast<T>(bits);
      } else {
        value = static_cast<T>(bits);
      }
    }
    template <typename Do>
    void ForEachColumn(const Do& act) {
      ForEachColumn(columns_, act);
    }
    template <typename Do>
    void ForEachColumn(const Do& act) const {
      ForEachColumn(columns_, act);
    }
    template <typename Columns, typename Do>
    static void ForEachColumn(Columns& columns, const Do& act) {
      std::apply(
          [&](auto... fields) {
            size_t i = 0;
            (act(fields, columns[i++]), ...);
          },
          Row::Fields());
    }

    std::array<Column, kColumns> columns_{};
    std::unique_ptr<std::byte[]> bytes_;
  };

  std::vector<Block> blocks_;
  std::vector<Row> open_;  // the last rows; empty only if there are none at all
};

template <typename Row>
class PackedRows<Row>::Iterator {
 public:
  explicit Iterator(const PackedRows& rows) : all_(&rows) { Load(); }
  Iterator(const Iterator&) = delete;
  Iterator& operator=(const Iterator&) = delete;

  const Row& operator*() const { return rows_[at_]; }
  Iterator& operator++() {
    if (++at_ == count_ && block_++ < all_->blocks_.size()) Load();
    return *this;
  }
  bool operator==(std::default_sentinel_t) const { return at_ == count_; }

 private:
  void Load() {
    at_ = 0;
    if (block_ < all_->blocks_.size()) {
      all_->blocks_[block_].Unpack(unpacked_);
      rows_ = unpacked_.data();
      count_ = unpacked_.size();
    } else {
      rows_ = all_->open_.data();
      count_ = all_->open_.size();
    }
  }

  const PackedRows* all_;
  size_t block_ = 0;
  std::vector<Row> unpacked_;
  const Row* rows_ = nullptr;
  size_t at_ = 0, count_ = 0;
};

}  // namespace hindsight::analyzer
