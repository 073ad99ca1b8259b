package dev.quire.news.election;

import dev.quire.news.place.Region;

/** What is in one ballot box. */
record PollingPlace(Region region, Tally tally) {}
