package dev.quire.news.blog;

import java.io.Serializable;
import java.util.List;

/** The category of a post and its tags. */
record Terms(String category, List<String> tags) implements Serializable {}
