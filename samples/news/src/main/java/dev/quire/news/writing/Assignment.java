package dev.quire.news.writing;

import dev.quire.news.place.District;
import java.time.LocalDateTime;

/**
 * What is to be written: one event.
 *
 * @param published when the article about it appears, in Korean time
 */
record Assignment(District district, LocalDateTime published, Facts facts) {}
