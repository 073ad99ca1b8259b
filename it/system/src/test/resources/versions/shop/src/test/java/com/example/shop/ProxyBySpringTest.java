package com.example.shop;

import dev.quire.test.spring.AutoConfigureEsi;
import dev.quire.test.spring.EsiMode;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
@AutoConfigureEsi(mode = EsiMode.PROXY)
class ProxyBySpringTest extends ShopPages {}
