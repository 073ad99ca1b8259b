package dev.quire.news.election;

import dev.quire.news.place.Region;

/** The content of one ballot box. */
record PollingPlace(Region region, Tally tally) {}
