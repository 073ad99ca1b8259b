package com.example.shop;

import dev.quire.test.spring.AutoConfigureEsi;
import dev.quire.test.spring.EsiMode;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;

@SpringBootTest
@AutoConfigureMockMvc
@AutoConfigureEsi(mode = EsiMode.MOCK_MVC)
class MockMvcBySpringTest extends ShopPages {}
