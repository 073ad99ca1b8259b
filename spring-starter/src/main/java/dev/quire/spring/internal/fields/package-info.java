/** Fields and attributes of requests and responses: media types, capabilities, peers, marks. */
@NullMarked
package dev.quire.spring.internal.fields;

import org.jspecify.annotations.NullMarked;
