#include "base/stable_table.h"

#include <gtest/gtest.h>

#include <set>

namespace duet {
namespace {

TEST(StableTable, WhatIsThereStaysWhereItIs) {
  StableTable<int> table;
  std::vector<int*> places;
  for (int i = 0; i < 1000; ++i) {
    const std::size_t number = table.take();
    table[number] = i;
    places.push_back(&table[number]);
  }
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(*places[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(std::set<int*>(places.begin(), places.end()).size(), 1000u);
}

TEST(StableTable, ANumberThatIsGivenBackIsTakenNext) {
  StableTable<int> table;
  table.take();
  const std::size_t second = table.take();
  table.take();
  table.give_back(second);
  EXPECT_EQ(table.take(), second);
}

TEST(StableTable, ANumberThatNeverWasIsFoundNowhere) {
  StableTable<int> table;
  EXPECT_EQ(table.find(0), nullptr);
  const std::size_t number = table.take();
  EXPECT_EQ(table.find(number), &table[number]);
  EXPECT_EQ(table.find(~std::size_t{0}), nullptr);
}

}  // namespace
}  // namespace duet
